import "server-only";
import { readPasswordHash } from "../../db/queries/accounts.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { confirmSession } from "../../db/queries/sessions.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { verifyInTurn } from "./password-work.ts";
import { takePasswordAttempt } from "./sign-in-attempt.ts";

/**
 * Takes the password of whoever is signed in once more, for what asks for it again. A wrong one counts like one at the
 * sign-in. @throws ConsoleError wrong_password, too_many_attempts, not_signed_in if the session has ended meanwhile
 */
export async function confirmIdentity(asker: Asker, password: string): Promise<Record<string, never>> {
  const { accountId, sessionHash } = asker.mustBePerson();
  const attempt = await takePasswordAttempt({ name: asker.actor, ip: asker.ip });
  const { retryAfterSeconds } = attempt;
  const database = consoleDatabase();
  const hash = await database.use((session) => readPasswordHash(session, accountId));
  const audit = { ...auditedBy(asker), action: "session.confirm", objectKind: "account", objectId: accountId } as const;
  const isRight = await verifyInTurn(password, hash);
  if (!isRight) {
    const detail = retryAfterSeconds > 0 ? { lockedSeconds: retryAfterSeconds } : undefined;
    await database.use((session) => insertAudit(session, { ...audit, result: "failed", detail }));
    throw new ConsoleError("wrong_password", "the password is wrong", {
      details: retryAfterSeconds > 0 ? { retryAfterSeconds } : {},
    });
  }
  return database.retryingTransaction(async (session) => {
    // A password that was replaced while it was checked confirms nothing any more.
    const isCurrent = (await readPasswordHash(session, accountId)) === hash;
    if (!isCurrent || (await confirmSession(session, sessionHash)) === 0) {
      throw new ConsoleError("not_signed_in", "the session has ended");
    }
    await attempt.succeeded(session);
    await insertAudit(session, { ...audit, result: "ok" });
    return {};
  });
}
