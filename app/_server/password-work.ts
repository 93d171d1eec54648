import "server-only";
import { hashPassword, verifyPassword } from "../../db/password-hash.ts";
import { ConsoleError } from "./console-error.ts";

/** Each holds 32 MiB and a core for a third of a second. */
const AT_ONCE = 2;
const WAITING_MAX = 24;
const BUSY_SECONDS = 5;

let running = 0;
const waiting: (() => void)[] = [];

/** `hashPassword`, a few at a time. @throws ConsoleError too_many_attempts if the line is too long. */
export function hashInTurn(password: string): Promise<string> {
  return inTurn(() => hashPassword(password));
}

/** `verifyPassword`, a few at a time. @throws ConsoleError too_many_attempts if the line is too long. */
export function verifyInTurn(password: string, stored: string | undefined): Promise<boolean> {
  return inTurn(() => verifyPassword(password, stored));
}

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= AT_ONCE) {
    if (waiting.length >= WAITING_MAX) {
      throw new ConsoleError("too_many_attempts", "too many people sign in at this moment", {
        details: { retryAfterSeconds: BUSY_SECONDS },
      });
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running++;
  }
  try {
    return await work();
  } finally {
    // The place goes to the next in line, or becomes free.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
