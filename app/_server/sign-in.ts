import "server-only";
import { findAccount, readPasswordHash } from "../../db/queries/accounts.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { insertSession, removeEndedSessions, removeSession, sessionId } from "../../db/queries/sessions.ts";
import { newSecretToken, tokenHash } from "../../db/secret-token.ts";
import type { Session } from "../../db/session.ts";
import { checkContentType, checkHost, checkOrigin } from "./access.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { clientAddress } from "./client-address.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { consoleEnv } from "./env.ts";
import { verifyInTurn } from "./password-work.ts";
import { presentedSession } from "./session-cookie.ts";
import { takePasswordAttempt } from "./sign-in-attempt.ts";

/** A browser at the door: where it is, and what it already carries. */
export interface Visitor {
  readonly ip: string | undefined;
  readonly userAgent: string | undefined;
  readonly requestId: string;
  /** The session it had until now, which a new one ends. */
  readonly sessionHash: string | undefined;
}

/** Who is at the door. @throws ConsoleError unless it is the console's own page under a name it answers to. */
export function readVisitor({ headers }: Request, requestId: string): Visitor {
  checkContentType(headers);
  checkOrigin(headers, consoleEnv());
  return visitorOf(headers, requestId);
}

/** Who follows a link to the door. @throws ConsoleError unknown_host unless under a name the console answers to. */
export function visitorOf(headers: Headers, requestId: string): Visitor {
  const env = consoleEnv();
  checkHost(headers, env);
  return {
    ip: clientAddress(headers, env.trustedProxies),
    userAgent: headers.get("user-agent") ?? undefined,
    requestId,
    sessionHash: presentedSession(headers, env),
  };
}

/**
 * Signs a person in by name and password; the token goes into the cookie and nowhere else. An unknown name, a disabled
 * account and a wrong password are one answer, after the same time.
 * @throws ConsoleError sign_in_failed, too_many_attempts, passwords_off
 */
export async function signIn(
  visitor: Visitor,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<{ readonly token: string }> {
  mustTakePasswords();
  const { ip, requestId } = visitor;
  const attempt = await takePasswordAttempt({ name, ip });
  const database = consoleDatabase();
  const { account, hash } = await database.use(async (session) => {
    const found = await findAccount(session, name);
    return { account: found, hash: found && (await readPasswordHash(session, found.id)) };
  });
  const isRight = await verifyInTurn(password, hash);
  const audit = { actorKind: "person", action: "session.sign_in", objectKind: "account", ip, requestId } as const;
  const { retryAfterSeconds } = attempt;
  if (!account || account.isDisabled || !isRight) {
    await database.use((session) =>
      insertAudit(session, {
        ...audit,
        // Of a name that nobody has nothing is kept: it may be a password.
        actor: account?.name ?? "unknown",
        role: account?.role,
        objectId: account?.id,
        result: "failed",
        detail: retryAfterSeconds > 0 ? { lockedSeconds: retryAfterSeconds } : undefined,
      }),
    );
    throw signInFailed(retryAfterSeconds);
  }
  return database.retryingTransaction(async (session) => {
    // A password that was replaced while it was checked opens nothing any more.
    if ((await readPasswordHash(session, account.id)) !== hash) throw signInFailed(0);
    await attempt.succeeded(session);
    const token = await openSession(session, visitor, { accountId: account.id });
    const { name: actor, role, id: objectId } = account;
    await insertAudit(session, { ...audit, actor, role, objectId, result: "ok" });
    return { token };
  });
}

/** @throws ConsoleError passwords_off if people sign in by OpenID Connect only. */
export function mustTakePasswords(): void {
  if (!consoleEnv().takesPasswords) throw new ConsoleError("passwords_off", "nobody signs in by password here");
}

function signInFailed(retryAfterSeconds: number): ConsoleError {
  return new ConsoleError("sign_in_failed", "the name or the password is wrong", {
    details: retryAfterSeconds > 0 ? { retryAfterSeconds } : {},
  });
}

/** A new session of an account, inside the caller's transaction; the one the browser had ends. Answers its token. */
export async function openSession(
  session: Session,
  visitor: Visitor,
  { accountId, isConfirmed = true }: { readonly accountId: string; readonly isConfirmed?: boolean },
): Promise<string> {
  const token = newSecretToken();
  if (visitor.sessionHash !== undefined) await removeSession(session, visitor.sessionHash);
  await removeEndedSessions(session, accountId);
  const { ip, userAgent } = visitor;
  await insertSession(session, { tokenHash: tokenHash(token), accountId, ip, userAgent, isConfirmed });
  return token;
}

/** Ends the session of the asker. */
export async function signOut(asker: Asker): Promise<void> {
  const { sessionHash, accountId } = asker.mustBePerson();
  await consoleDatabase().retryingTransaction(async (session) => {
    await removeSession(session, sessionHash);
    await insertAudit(session, {
      ...auditedBy(asker),
      action: "session.sign_out",
      objectKind: "account",
      objectId: accountId,
      result: "ok",
      detail: { session: sessionId(sessionHash) },
    });
  });
}
