import "server-only";
import { type ConsoleEnv, parseConsoleEnv } from "./env-schema.ts";

let parsed: ConsoleEnv | undefined;

/** The settings of this process, read once. @throws ConsoleEnvError naming all problems, on each call until they are right. */
export function consoleEnv(): ConsoleEnv {
  parsed ??= parseConsoleEnv(process.env);
  return parsed;
}
