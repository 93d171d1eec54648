import { createHash } from "node:crypto";
import { inspect } from "node:util";
import type { StoredError } from "../../db/queries/end-attempt.ts";

/** Text for anything that can be thrown, never empty; the stack follows the message of an Error. */
export function describeThrown(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return describeError(thrown);
    if (typeof thrown === "string") return thrown === "" ? 'thrown: "" (an empty string)' : thrown;
    return `thrown: ${inspect(thrown, { depth: 2, breakLength: 120, maxStringLength: 2_000 })}`;
  } catch {
    return "thrown: a value that cannot be shown";
  }
}

function describeError(error: Error): string {
  const name = typeof error.name === "string" && error.name !== "" ? error.name : "Error";
  const message: unknown = error.message;
  const shown = typeof message === "string" ? message : inspect(message, { depth: 1 });
  const head = shown === "" ? `${name} (no message)` : `${name}: ${shown}`;
  const frames = typeof error.stack === "string" ? framesOf(error.stack) : "";
  const cause = error.cause === undefined ? "" : `\ncaused by ${describeCause(error.cause)}`;
  return `${head}${frames}${cause}`;
}

function describeCause(cause: unknown): string {
  const text = cause instanceof Error ? `${cause.name}: ${String(cause.message)}` : describeThrown(cause);
  return text.slice(0, 2_000);
}

function framesOf(stack: string): string {
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return frames.length === 0 ? "" : `\n${frames.slice(0, 12).join("\n")}`;
}

/**
 * Cuts text to so many UTF-8 bytes at a character boundary and marks it as cut. Half surrogate pairs, which no character
 * set can store, are replaced.
 */
export function cutUtf8(text: string, bytesMax: number): string {
  const whole = text.toWellFormed();
  // No character needs more than 3 bytes per UTF-16 unit: a longer text need not be encoded to see that it is cut.
  const head = whole.length > bytesMax ? whole.slice(0, bytesMax + 1).toWellFormed() : whole;
  const bytes = Buffer.from(head, "utf8");
  if (whole.length === head.length && bytes.length <= bytesMax) return whole;
  const mark = " … [cut]";
  let end = Math.min(bytes.length, bytesMax) - Buffer.byteLength(mark);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, Math.max(0, end)) + mark;
}

/** The same for errors that differ only in numbers, ids and quoted values, so that one cause is one group. */
export function fingerprintOf(text: string): string {
  const firstLine = text.split("\n", 1)[0] ?? "";
  const normal = firstLine
    .slice(0, 500)
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, "#")
    .replace(/\b[0-9a-f]{12,}\b/gi, "#")
    .replace(/\d+/g, "#");
  return createHash("sha256").update(normal).digest("hex").slice(0, 16);
}

/** A thrown value as it is stored. */
export function storedError(thrown: unknown, bytesMax: number): StoredError {
  const text = describeThrown(thrown);
  return { text: cutUtf8(text, bytesMax), fingerprint: fingerprintOf(text) };
}
