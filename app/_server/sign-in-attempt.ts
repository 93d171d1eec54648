import "server-only";
import {
  clearSignInAttempts,
  giveBackSignInAttempt,
  removeOldSignInCounts,
  type SignInLimit,
  takeSignInAttempt,
} from "../../db/queries/sign-in-counts.ts";
import { tokenHash } from "../../db/secret-token.ts";
import type { Session } from "../../db/session.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";

const MINUTE_MS = 60_000;

const ALL: SignInLimit = { subject: "all", attempts: 300, firstWaitMs: 10_000, waitMsMax: MINUTE_MS };
const PER_ADDRESS = { attempts: 30, firstWaitMs: MINUTE_MS, waitMsMax: 15 * MINUTE_MS };
const PER_ACCOUNT = { attempts: 5, firstWaitMs: 30_000, waitMsMax: 15 * MINUTE_MS };

/** A counted attempt to show a password. */
export interface PasswordAttempt {
  /** The wait that follows if it fails; 0: none. */
  readonly retryAfterSeconds: number;
  /** Call it in the transaction of what the right password opened. */
  succeeded(session: Session): Promise<void>;
}

/**
 * Counts an attempt for everybody, for its address and for its account (one that does not exist counts like any other),
 * in this order in every transaction. All instances of the console share the counts.
 * @throws ConsoleError too_many_attempts with the seconds to wait; the attempt is not counted then.
 */
export async function takePasswordAttempt(params: {
  readonly name: string;
  readonly ip: string | undefined;
}): Promise<PasswordAttempt> {
  const address = { ...PER_ADDRESS, subject: `ip:${params.ip ?? "unknown"}` };
  // A name may be longer than the column, and may be a password that was typed into the wrong field.
  const account = { ...PER_ACCOUNT, subject: `account:${tokenHash(params.name)}` };
  const waits = await consoleDatabase().retryingTransaction(async (session) => {
    const nextWaits: number[] = [];
    for (const limit of [ALL, address, account]) {
      const { waitMs, nextWaitMs } = await takeSignInAttempt(session, limit);
      if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1_000));
      nextWaits.push(nextWaitMs);
    }
    return nextWaits;
  });
  return {
    retryAfterSeconds: Math.ceil(Math.max(...waits) / 1_000),
    succeeded: async (session) => {
      await giveBackSignInAttempt(session, ALL);
      await giveBackSignInAttempt(session, address);
      await clearSignInAttempts(session, account.subject);
      await removeOldSignInCounts(session);
    },
  };
}

function tooMany(retryAfterSeconds: number): ConsoleError {
  return new ConsoleError("too_many_attempts", `too many attempts; try again in ${retryAfterSeconds} seconds`, {
    details: { retryAfterSeconds },
  });
}
