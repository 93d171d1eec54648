import { ConsoleEnvError, parseConsoleEnv } from "./env-schema.ts";

/** Ends the process with 1 if its settings cannot be used, after printing every problem. */
export function checkSettings(): void {
  try {
    parseConsoleEnv(process.env);
  } catch (error) {
    if (!(error instanceof ConsoleEnvError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
