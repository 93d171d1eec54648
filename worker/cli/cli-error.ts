/** A command that could not be done; `code` is for programs, the message for people. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: string;
  readonly exitCode: number;

  constructor(code: string, message: string, options: { readonly exitCode?: number; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.exitCode = options.exitCode ?? EXIT_FAILED;
  }
}

/** Done, and the answer is good. */
export const EXIT_DONE = 0;
/** Not done, not done for every id, or the answer is bad (a failed check). */
export const EXIT_FAILED = 1;
/** The command line itself or the environment is wrong; nothing was tried. */
export const EXIT_USAGE = 2;

/** The command line cannot be understood; nothing was tried. */
export function usageError(message: string): CliError {
  return new CliError("USAGE", message, { exitCode: EXIT_USAGE });
}
