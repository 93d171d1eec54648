import "server-only";
import { consoleEnv } from "./env.ts";

/** What the frame of every page tells of this installation. */
export interface ShellFacts {
  /** As the badge says it: staging, production. */
  readonly environment: string | undefined;
  readonly isReadOnly: boolean;
}

export function readShellFacts(): ShellFacts {
  const { environment, isReadOnly } = consoleEnv();
  return { environment, isReadOnly };
}
