import { isOutage } from "../../db/mysql-errors.ts";
import { CliError, EXIT_USAGE } from "./cli-error.ts";
import { printable } from "./text-values.ts";

export interface Failure {
  /** For programs: stable. */
  readonly code: string;
  readonly message: string;
  /** For people: what happened and the way out; the whole error if it is not a known one. */
  readonly text: string;
}

const NO_SUCH_TABLE = 1146;
const NO_SUCH_COLUMN = 1054;

/** Turns whatever ended a command into words. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CliError) {
    const hint = error.exitCode === EXIT_USAGE ? "\nredrive --help says more" : "";
    return { code: error.code, message: error.message, text: printable(error.message + hint, true) };
  }
  const { code, errno, message } = Object(error) as { code?: unknown; errno?: number; message?: string };
  const detail = message || String(code ?? error);
  if (isOutage(error)) return failure("DATABASE_UNAVAILABLE", `the database cannot be used now: ${detail}`);
  if (errno === NO_SUCH_TABLE || errno === NO_SUCH_COLUMN) {
    return failure(
      "SCHEMA_NOT_MIGRATED",
      `the schema is not the one of this program (${detail}); run: redrive migrate`,
    );
  }
  if (typeof code === "string") return failure(code, detail);
  const whole = error instanceof Error ? (error.stack ?? detail) : detail;
  return { code: "INTERNAL", message: detail, text: printable(`something went wrong: ${whole}`, true) };
}

const failure = (code: string, message: string): Failure => ({ code, message, text: printable(message, true) });
