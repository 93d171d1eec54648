import "server-only";
import type { Asker } from "./asker.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleEnv } from "./env.ts";

/**
 * What reaches far asks a person to prove once more to be the one, unless that was a short while ago: a browser that was
 * left open then opens less. Machines have nobody to ask. @throws ConsoleError step_up_required
 */
export function mustBeConfirmed({ signedIn }: Asker): void {
  if (!signedIn) return;
  const { confirmedMsAgo, isExternal } = signedIn;
  const { confirmMinutes } = consoleEnv();
  if (confirmedMsAgo !== undefined && confirmedMsAgo < confirmMinutes * 60_000) return;
  throw new ConsoleError("step_up_required", "show once more that it is you", {
    details: { by: isExternal ? "provider" : "password", confirmMinutes },
  });
}
