import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import {
  findAccount,
  findAccountBySubject,
  hasAccount,
  insertAccount,
  listAccounts,
  lockActiveAdmins,
  readAccount,
  setAccountAccess,
  setAccountDisabled,
  setPasswordHash,
} from "./accounts.ts";
import { insertOidcFlow, OIDC_FLOW_LIFE_MS, removeOldOidcFlows, takeOidcFlow } from "./oidc-flows.ts";
import {
  confirmSession,
  insertSession,
  listSessions,
  readSessionOwner,
  removeEndedSessions,
  removeSession,
  removeSessionById,
  removeSessions,
  sessionId,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
  touchSession,
} from "./sessions.ts";
import {
  clearSignInAttempts,
  giveBackSignInAttempt,
  removeOldSignInCounts,
  SIGN_IN_WINDOW_MS,
  takeSignInAttempt,
  waitAfter,
} from "./sign-in-counts.ts";
import { insertSignInLink, LINK_LIFE_MS, readSignInLink, removeSignInLinks, takeSignInLink } from "./sign-in-links.ts";

const NOW = new Date("2026-10-25T00:30:00.500Z");
const after = (ms: number) => new Date(NOW.getTime() + ms);
const HASH = "a".repeat(64);
const OTHER_HASH = "b".repeat(64);
const LIMIT = { subject: "account:ada", attempts: 3, firstWaitMs: 30_000, waitMsMax: 120_000 };

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  for (const table of ["account", "session", "sign_in_link", "sign_in_count", "oidc_flow"]) {
    await test.pool.query(`DELETE FROM t_retry_${table}`);
  }
});

const at = <Result>(instant: Date, work: (session: Session) => Promise<Result>) =>
  test.database.retryingTransaction((session) => work(session.at(instant)));

async function newAccount(name = "ada", role: "admin" | "operator" = "admin"): Promise<string> {
  const id = await at(NOW, (session) => insertAccount(session, { name, role, scopes: undefined }));
  if (id === undefined) throw new Error(`${name} is taken`);
  return id;
}

async function signIn(accountId: string, tokenHash = HASH, instant = NOW): Promise<void> {
  await at(instant, (session) =>
    insertSession(session, { tokenHash, accountId, ip: "10.0.0.1", userAgent: "Browser 1" }),
  );
}

describe("an account", () => {
  it("is kept with its role, its event types and its instants", async () => {
    const id = await at(NOW, (session) =>
      insertAccount(session, { name: "Ada", role: "operator", scopes: ["PAY_ORDER", "<b>"], passwordHash: "hash" }),
    );
    const stored = await at(NOW, (session) => readAccount(session, id ?? ""));
    expect(stored).toEqual({
      id,
      name: "Ada",
      role: "operator",
      scopes: ["PAY_ORDER", "<b>"],
      hasPassword: true,
      isExternal: false,
      isDisabled: false,
      createdAt: NOW,
      updatedAt: NOW,
    });
    expect(await at(NOW, (session) => findAccount(session, "ada")), "names compare byte by byte").toBeUndefined();
  });

  it("has a name of its own", async () => {
    expect(await at(NOW, hasAccount)).toBe(false);
    await newAccount();
    expect(await at(NOW, hasAccount)).toBe(true);
    const again = await at(NOW, (session) => insertAccount(session, { name: "ada", role: "viewer", scopes: [] }));
    expect(again).toBeUndefined();
    expect(await at(NOW, listAccounts)).toMatchObject([{ name: "ada", role: "admin", scopes: undefined }]);
  });

  it("of which only one is an active admin is seen as the only one by two who act at once", async () => {
    const first = await newAccount("first");
    const second = await newAccount("second");
    /** Takes the admin's role from the other, unless nobody would be left. */
    const demote = (id: string) =>
      test.database.retryingTransaction(async (session) => {
        const admins = await lockActiveAdmins(session);
        if (!admins.some((admin) => admin !== id)) return false;
        await setAccountAccess(session, { id, role: "viewer", scopes: undefined });
        return true;
      });
    expect((await Promise.all([demote(first), demote(second)])).sort()).toEqual([false, true]);
    expect(await at(NOW, lockActiveAdmins)).toHaveLength(1);
  });
});

describe("a session", () => {
  it("tells whose it is, as the account is now", async () => {
    const accountId = await newAccount();
    await signIn(accountId);
    expect(await at(after(1_000), (session) => readSessionOwner(session, HASH))).toEqual({
      accountId,
      name: "ada",
      role: "admin",
      scopes: undefined,
      isExternal: false,
      confirmedMsAgo: 1_000,
      isToTouch: false,
    });
    await at(NOW, (session) => setAccountAccess(session, { id: accountId, role: "viewer", scopes: ["T"] }));
    expect(await at(NOW, (session) => readSessionOwner(session, HASH))).toMatchObject({
      role: "viewer",
      scopes: ["T"],
    });
    expect(await at(NOW, (session) => readSessionOwner(session, OTHER_HASH))).toBeUndefined();
  });

  it("knows how long ago its person proved to be the one, if in this session at all", async () => {
    const accountId = await newAccount();
    const read = (ms: number) => at(after(ms), (session) => readSessionOwner(session, HASH));
    await at(NOW, (session) =>
      insertSession(session, { tokenHash: HASH, accountId, ip: undefined, userAgent: undefined, isConfirmed: false }),
    );
    expect((await read(1_000))?.confirmedMsAgo).toBeUndefined();
    expect(await at(after(2_000), (session) => confirmSession(session, HASH))).toBe(1);
    expect((await read(2_500))?.confirmedMsAgo).toBe(500);
    expect(await at(after(SESSION_IDLE_MS), (session) => confirmSession(session, HASH)), "it has ended").toBe(0);
  });

  it("ends 30 minutes after the last request", async () => {
    await signIn(await newAccount());
    const owner = (ms: number) => at(after(ms), (session) => readSessionOwner(session, HASH));
    expect(await owner(SESSION_IDLE_MS - 1)).toMatchObject({ isToTouch: true });
    expect(await owner(SESSION_IDLE_MS)).toBeUndefined();
    await at(after(SESSION_IDLE_MS - 1), (session) => touchSession(session, HASH));
    expect(await owner(SESSION_IDLE_MS)).toBeDefined();
    await at(after(3 * SESSION_IDLE_MS), (session) => touchSession(session, HASH));
    expect(await owner(3 * SESSION_IDLE_MS), "what has ended is not touched awake").toBeUndefined();
  });

  it("ends 12 hours after the sign-in, however often it is used", async () => {
    await signIn(await newAccount());
    for (let ms = 0; ms < SESSION_LIFE_MS; ms += SESSION_IDLE_MS / 2) {
      await at(after(ms), (session) => touchSession(session, HASH));
    }
    expect(await at(after(SESSION_LIFE_MS - 1), (session) => readSessionOwner(session, HASH))).toBeDefined();
    expect(await at(after(SESSION_LIFE_MS), (session) => readSessionOwner(session, HASH))).toBeUndefined();
  });

  it("opens nothing once the account is disabled", async () => {
    const id = await newAccount();
    await signIn(id);
    await at(NOW, (session) => setAccountDisabled(session, { id, isDisabled: true }));
    expect(await at(NOW, (session) => readSessionOwner(session, HASH))).toBeUndefined();
  });

  it("is listed and revoked by a name that is not its hash, by its own account only", async () => {
    const [own, other] = [await newAccount("own"), await newAccount("other")];
    await signIn(own, HASH);
    await signIn(own, OTHER_HASH, after(5));
    const listed = await at(after(10), (session) => listSessions(session, own));
    expect(listed.map(({ id }) => id)).toEqual([sessionId(OTHER_HASH), sessionId(HASH)]);
    expect(listed[1]).toMatchObject({ createdAt: NOW, ip: "10.0.0.1", userAgent: "Browser 1" });
    const revoke = (accountId: string) =>
      at(after(10), (session) => removeSessionById(session, { accountId, id: sessionId(HASH) }));
    expect(await revoke(other)).toBe(0);
    expect(await revoke(own)).toBe(1);
    expect(await at(after(10), (session) => listSessions(session, own))).toHaveLength(1);
    expect(await at(after(10), (session) => removeSession(session, OTHER_HASH))).toBe(1);
  });

  it("stays when all others of its account are ended, and ended ones are forgotten", async () => {
    const accountId = await newAccount();
    await signIn(accountId, HASH);
    await signIn(accountId, OTHER_HASH);
    expect(await at(NOW, (session) => removeSessions(session, { accountId, exceptHash: HASH }))).toBe(1);
    expect(await at(NOW, (session) => readSessionOwner(session, HASH))).toBeDefined();
    await signIn(accountId, OTHER_HASH, after(SESSION_IDLE_MS - 5));
    await at(after(SESSION_IDLE_MS), (session) => removeEndedSessions(session, accountId));
    const [rows] = await test.pool.query("SELECT token_hash FROM t_retry_session");
    expect(rows).toEqual([{ token_hash: OTHER_HASH }]);
  });
});

describe("a one-time link", () => {
  it("is good for a day", async () => {
    const id = await newAccount();
    const { expiresAt } = await at(NOW, (session) => insertSignInLink(session, { tokenHash: HASH, accountId: id }));
    expect(expiresAt).toEqual(after(LINK_LIFE_MS));
    const read = (ms: number) => at(after(ms), (session) => readSignInLink(session, HASH));
    expect(await read(LINK_LIFE_MS - 1)).toEqual({ account: { id, name: "ada" } });
    expect(await read(LINK_LIFE_MS)).toBeUndefined();
    expect(await at(after(LINK_LIFE_MS), (session) => takeSignInLink(session, HASH))).toBeUndefined();
  });

  it("is taken by one of many who take it at once", async () => {
    const id = await newAccount();
    await at(NOW, (session) => insertSignInLink(session, { tokenHash: HASH, accountId: id }));
    const taken = await Promise.all(
      Array.from({ length: 4 }, () => at(after(1), (session) => takeSignInLink(session, HASH))),
    );
    expect(taken.filter((row) => row !== undefined)).toEqual([{ account: { id, name: "ada" } }]);
    expect(await at(after(1), (session) => readSignInLink(session, HASH))).toBeUndefined();
  });

  it("works no more once a newer one was made, or its account is disabled", async () => {
    const id = await newAccount();
    await at(NOW, (session) => insertSignInLink(session, { tokenHash: HASH, accountId: id }));
    await at(NOW, (session) => insertSignInLink(session, { tokenHash: OTHER_HASH, accountId: id }));
    expect(await at(NOW, (session) => readSignInLink(session, HASH))).toBeUndefined();
    expect(await at(NOW, (session) => readSignInLink(session, OTHER_HASH))).toBeDefined();
    await at(NOW, (session) => setAccountDisabled(session, { id, isDisabled: true }));
    expect(await at(NOW, (session) => readSignInLink(session, OTHER_HASH))).toBeUndefined();
  });

  it("for the first admin names no account; those of several instances go together", async () => {
    for (const tokenHash of [HASH, OTHER_HASH]) {
      await at(NOW, (session) => insertSignInLink(session, { tokenHash, accountId: undefined }));
    }
    expect(await at(NOW, (session) => readSignInLink(session, HASH))).toEqual({ account: undefined });
    await at(NOW, (session) => removeSignInLinks(session, undefined));
    for (const tokenHash of [HASH, OTHER_HASH]) {
      expect(await at(NOW, (session) => readSignInLink(session, tokenHash))).toBeUndefined();
    }
  });
});

describe("a sign-in at a provider", () => {
  const flow = {
    ...{ tokenHash: HASH, stateHash: OTHER_HASH, nonce: "nonce", verifier: "verifier", path: "/tasks?x=1#y" },
    ...{ redirectUri: "https://ops.example.com/api/v1/sign-in/oidc/callback", sessionHash: undefined },
  };

  it("is taken once, within ten minutes, by whoever holds its token", async () => {
    await at(NOW, (session) => insertOidcFlow(session, flow));
    expect(await at(NOW, (session) => takeOidcFlow(session, OTHER_HASH))).toBeUndefined();
    const { tokenHash: _, ...rest } = flow;
    const last = after(OIDC_FLOW_LIFE_MS - 1);
    expect(await at(last, (session) => takeOidcFlow(session, HASH))).toEqual({ ...rest, ageMs: OIDC_FLOW_LIFE_MS - 1 });
    expect(await at(last, (session) => takeOidcFlow(session, HASH))).toBeUndefined();
    await at(NOW, (session) => insertOidcFlow(session, flow));
    expect(await at(after(OIDC_FLOW_LIFE_MS), (session) => takeOidcFlow(session, HASH))).toBeUndefined();
  });

  it("is taken by one of two who come at once", async () => {
    await at(NOW, (session) => insertOidcFlow(session, flow));
    const taken = await Promise.all([1, 2].map(() => at(NOW, (session) => takeOidcFlow(session, HASH))));
    expect(taken.filter((one) => one !== undefined)).toHaveLength(1);
  });

  it("is forgotten when its time is over", async () => {
    await at(NOW, (session) => insertOidcFlow(session, flow));
    await at(after(1), (session) => insertOidcFlow(session, { ...flow, tokenHash: OTHER_HASH }));
    expect(await at(after(OIDC_FLOW_LIFE_MS), removeOldOidcFlows)).toBe(1);
    expect(await at(after(OIDC_FLOW_LIFE_MS), removeOldOidcFlows)).toBe(0);
  });

  it("finds an account by its subject, byte by byte, and never makes two of one", async () => {
    const ada = { name: "ada", role: "viewer", scopes: undefined, subject: "https://id.example|A" } as const;
    const id = await at(NOW, (session) => insertAccount(session, ada));
    expect(await at(NOW, (session) => findAccountBySubject(session, ada.subject))).toMatchObject({
      ...{ id, name: "ada", isExternal: true, hasPassword: false },
    });
    expect(await at(NOW, (session) => findAccountBySubject(session, "https://id.example|a"))).toBeUndefined();
    expect(await at(NOW, (session) => insertAccount(session, { ...ada, name: "other" }))).toBeUndefined();
  });
});

describe("attempts to sign in", () => {
  const attempt = (ms: number) => at(after(ms), (session) => takeSignInAttempt(session, LIMIT));

  it("wait ever longer after the limit, up to a most", async () => {
    expect([1, 2, 3, 4, 5, 6, 900].map((failures) => waitAfter(failures, LIMIT))).toEqual([
      ...[0, 0, 30_000, 60_000, 120_000, 120_000, 120_000],
    ]);
    expect([await attempt(0), await attempt(1), await attempt(2)].map(({ nextWaitMs }) => nextWaitMs)).toEqual([
      ...[0, 0, 30_000],
    ]);
    expect(await attempt(12)).toEqual({ waitMs: 29_990, nextWaitMs: 0 });
    expect(await attempt(30_002)).toEqual({ waitMs: 0, nextWaitMs: 60_000 });
  });

  it("begin anew after a quiet quarter of an hour that follows the wait", async () => {
    for (const ms of [0, 1, 2]) await attempt(ms);
    const quietAt = 30_002 + SIGN_IN_WINDOW_MS;
    expect((await attempt(quietAt)).nextWaitMs).toBe(0);
    for (const ms of [1, 2]) await attempt(quietAt + ms);
    expect((await attempt(quietAt + 30_002)).nextWaitMs, "a moment too early").toBe(60_000);
  });

  it("are all counted when they come at once", async () => {
    const verdicts = await Promise.all(Array.from({ length: 12 }, () => attempt(0)));
    expect(verdicts.filter(({ waitMs }) => waitMs === 0)).toHaveLength(LIMIT.attempts);
  });

  it("that were good are given back or forgotten", async () => {
    for (const ms of [0, 1, 2]) await attempt(ms);
    await at(NOW, (session) => giveBackSignInAttempt(session, LIMIT));
    expect(await attempt(3)).toEqual({ waitMs: 0, nextWaitMs: 30_000 });
    await at(NOW, (session) => giveBackSignInAttempt(session, { ...LIMIT, attempts: 2 }));
    expect((await attempt(4)).waitMs, "others are over the limit without it").toBeGreaterThan(0);
    await at(NOW, (session) => clearSignInAttempts(session, LIMIT.subject));
    expect(await attempt(4)).toEqual({ waitMs: 0, nextWaitMs: 0 });
  });

  it("of yesterday are forgotten", async () => {
    await attempt(0);
    await at(after(24 * 3_600_000), removeOldSignInCounts);
    expect(await count()).toBe(1);
    await at(after(24 * 3_600_000 + 1), removeOldSignInCounts);
    expect(await count()).toBe(0);
  });

  async function count(): Promise<number> {
    const [rows] = await test.pool.query("SELECT 1 FROM t_retry_sign_in_count");
    return (rows as unknown[]).length;
  }
});

it("keeps a new password", async () => {
  const id = await newAccount();
  expect(await at(NOW, (session) => readAccount(session, id))).toMatchObject({ hasPassword: false });
  await at(after(1), (session) => setPasswordHash(session, { id, passwordHash: "new" }));
  expect(await at(NOW, (session) => readAccount(session, id))).toMatchObject({
    hasPassword: true,
    updatedAt: after(1),
  });
});
