import "server-only";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import {
  listSessions as readSessions,
  removeSessionById,
  removeSessions,
  sessionId,
  type SessionRow,
} from "../../db/queries/sessions.ts";
import { knownAccount } from "./accounts.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";

export interface SessionItem extends Omit<SessionRow, "createdAt" | "usedAt" | "expiresAt"> {
  readonly createdAt: string;
  readonly usedAt: string;
  readonly expiresAt: string;
  /** The browser that asks. */
  readonly isOwn: boolean;
}

export interface SessionList {
  readonly asOf: string;
  readonly items: readonly SessionItem[];
}

/** Whose sessions are meant: an account by its id, for those who manage accounts, or the asker's own. */
export type Whose = { readonly accountId: string } | "own";

/** The browsers of an account that are signed in. @throws ConsoleError account_not_found */
export async function listAccountSessions(asker: Asker, whose: Whose): Promise<SessionList> {
  const accountId = accountOf(asker, whose);
  return consoleDatabase().use(async (session) => {
    await knownAccount(session, accountId);
    const rows = await readSessions(session, accountId);
    return { asOf: (await readDatabaseNow(session)).toISOString(), items: rows.map((row) => itemOf(asker, row)) };
  });
}

/** Signs one browser of an account out. @throws ConsoleError session_not_found if it is signed out already. */
export async function endSession(asker: Asker, whose: Whose, id: string): Promise<{ readonly ended: number }> {
  const accountId = accountOf(asker, whose);
  return consoleDatabase().retryingTransaction(async (session) => {
    const ended = await removeSessionById(session, { accountId, id });
    if (ended === 0) throw new ConsoleError("session_not_found", "that browser is no longer signed in");
    await note(asker, { session, accountId, detail: { session: id } });
    return { ended };
  });
}

/** Signs every browser of an account out, but for the one that asks. */
export async function endSessions(asker: Asker, whose: Whose): Promise<{ readonly ended: number }> {
  const accountId = accountOf(asker, whose);
  return consoleDatabase().retryingTransaction(async (session) => {
    await knownAccount(session, accountId);
    const ended = await removeSessions(session, { accountId, exceptHash: asker.signedIn?.sessionHash });
    await note(asker, { session, accountId, detail: { ended } });
    return { ended };
  });
}

function accountOf(asker: Asker, whose: Whose): string {
  if (whose === "own") return asker.mustBePerson().accountId;
  asker.mustSeeAll();
  return whose.accountId;
}

async function note(
  asker: Asker,
  entry: {
    readonly session: Parameters<typeof insertAudit>[0];
    readonly accountId: string;
    readonly detail: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const { session, accountId, detail } = entry;
  await insertAudit(session, {
    ...auditedBy(asker),
    action: "session.revoke",
    objectKind: "account",
    objectId: accountId,
    result: "ok",
    detail,
  });
}

function itemOf({ signedIn }: Asker, row: SessionRow): SessionItem {
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    usedAt: row.usedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    isOwn: signedIn !== undefined && sessionId(signedIn.sessionHash) === row.id,
  };
}
