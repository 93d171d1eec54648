import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { openTarget } from "../export/open-target.ts";
import { type ExportTarget, TargetError } from "../export/target.ts";
import { usageError } from "./cli-error.ts";
import { quoted } from "./text-values.ts";
import { type CliContext, textOption, type VerbInput, type VerbOption } from "./verb.ts";

export const DAY_OPTION: VerbOption = {
  type: "string",
  placeholder: "DAY",
  help: "only this UTC day, such as 2026-11-29",
};
export const targetOption = (what: string): VerbOption => ({
  type: "string",
  placeholder: "TARGET",
  help: `${what}: s3://bucket/prefix or a folder; default REDRIVE_EXPORT_TARGET`,
});

/** The day that an option names. @throws CliError USAGE for anything that is not a day. */
export function dayOption(input: VerbInput): string | undefined {
  const text = textOption(input, "day");
  if (text === undefined) return undefined;
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text);
  if (isDay) return text;
  throw usageError(`--day is ${quoted(text)}; write a day such as 2026-11-29`);
}

/** The text of the target that an option or the environment names; undefined if neither does. */
export function targetText(input: VerbInput, { history }: CliContext, option: string): string | undefined {
  return textOption(input, option) ?? history.exportTarget;
}

/** The target itself. @throws CliError USAGE if none is named, or the name is none. */
export function requiredTarget(input: VerbInput, context: CliContext, option: string): ExportTarget {
  const text = targetText(input, context, option);
  if (text === undefined)
    throw usageError(`where is the export? Write --${option} TARGET, or set REDRIVE_EXPORT_TARGET`);
  try {
    return openTarget(text, context.history.s3);
  } catch (error) {
    if (error instanceof TargetError) throw usageError(error.message);
    throw error;
  }
}

/** A name for this run of the command, to hold a duty under. */
export function runOwner(): string {
  return `cli-${hostname().slice(0, 30)}-${process.pid}-${randomBytes(4).toString("hex")}`;
}
