import "server-only";
import { readPasswordHash, setPasswordHash } from "../../db/queries/accounts.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { removeSessions } from "../../db/queries/sessions.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { hashNewPassword } from "./new-password.ts";
import { verifyInTurn } from "./password-work.ts";
import { takePasswordAttempt } from "./sign-in-attempt.ts";

/**
 * Gives the asker a new password, if the present one is right, and signs every other browser of the account out.
 * @throws ConsoleError wrong_password, too_many_attempts, password_refused
 */
export async function changePassword(
  asker: Asker,
  params: { readonly current: string; readonly password: string },
): Promise<{ readonly endedSessions: number }> {
  const { accountId, sessionHash } = asker.mustBePerson();
  const attempt = await takePasswordAttempt({ name: asker.actor, ip: asker.ip });
  const database = consoleDatabase();
  const hash = await database.use((session) => readPasswordHash(session, accountId));
  if (!(await verifyInTurn(params.current, hash))) {
    const { retryAfterSeconds } = attempt;
    throw new ConsoleError("wrong_password", "the present password is wrong", {
      details: retryAfterSeconds > 0 ? { retryAfterSeconds } : {},
    });
  }
  const passwordHash = await hashNewPassword(params.password, asker.actor);
  return database.retryingTransaction(async (session) => {
    await attempt.succeeded(session);
    await setPasswordHash(session, { id: accountId, passwordHash });
    const endedSessions = await removeSessions(session, { accountId, exceptHash: sessionHash });
    await insertAudit(session, {
      ...auditedBy(asker),
      action: "account.password",
      objectKind: "account",
      objectId: accountId,
      result: "ok",
      detail: { endedSessions },
    });
    return { endedSessions };
  });
}
