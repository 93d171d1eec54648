/** A failure whose message already tells the reader what to do; shown without a stack. */
export class SetupError extends Error {
  name = "SetupError";
}

const coloured = Boolean(process.stderr.isTTY) && !process.env.NO_COLOR;
const paint = (code, text) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text);

/**
 * Prints steps on stderr, so that stdout carries nothing but results.
 *
 * @typedef {{ step(text: string): void, note(text: string): void, warn(text: string): void }} Log
 * @type {Log}
 */
export const log = {
  step: (text) => process.stderr.write(`${paint("36", "›")} ${text}\n`),
  note: (text) => process.stderr.write(`  ${text}\n`),
  warn: (text) => process.stderr.write(`${paint("33", "!")} ${text}\n`),
};

/**
 * Runs the body of a script; a failure becomes a message and a non-zero exit code.
 *
 * @param {() => Promise<unknown>} body
 */
export async function main(body) {
  try {
    await body();
  } catch (err) {
    const text = err instanceof SetupError ? err.message : String(err?.stack ?? err);
    process.stderr.write(`${paint("31", "✗")} ${text}\n`);
    process.exitCode = 1;
  }
}

/**
 * @param {number} milliseconds
 * @returns {string} for people: `840 ms`, `12.3 s`, `2 min 05 s`
 */
export function formatDuration(milliseconds) {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}
