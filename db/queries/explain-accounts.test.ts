import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { explainStatements, keysOf, planFaults } from "../testing/explain.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import {
  findAccount,
  findAccountBySubject,
  findNamesBeginning,
  hasAccount,
  insertAccount,
  listAccounts,
  lockActiveAdmins,
  readAccount,
  readPasswordHash,
  setAccountAccess,
  setAccountDisabled,
  setPasswordHash,
} from "./accounts.ts";
import { insertOidcFlow, removeOldOidcFlows, takeOidcFlow } from "./oidc-flows.ts";
import {
  confirmSession,
  insertSession,
  listSessions,
  readSessionOwner,
  removeEndedSessions,
  removeSession,
  removeSessionById,
  removeSessions,
  touchSession,
} from "./sessions.ts";
import {
  clearSignInAttempts,
  giveBackSignInAttempt,
  removeOldSignInCounts,
  takeSignInAttempt,
} from "./sign-in-counts.ts";
import { insertSignInLink, readSignInLink, removeSignInLinks, takeSignInLink } from "./sign-in-links.ts";

interface Case {
  readonly covers: string;
  readonly run: (session: Session) => Promise<unknown>;
  /** Per statement that reads rows, in order: the indexes it goes through. */
  readonly uses?: readonly string[];
  /** A table that is small by nature and read as a whole, and why it stays small. */
  readonly wholeTable?: readonly [table: string, because: string];
}

const ACCOUNTS = 200;
const SESSIONS_EACH = 5;
const LIMIT = { subject: "ip:10.0.0.7", attempts: 5, firstWaitMs: 30_000, waitMsMax: 900_000 };
const hashOf = (n: number) => n.toString(16).padStart(64, "0");

const FLOW = {
  ...{ stateHash: hashOf(1), nonce: "n", verifier: "v", path: "/", sessionHash: undefined },
  redirectUri: "https://ops.example.com/api/v1/sign-in/oidc/callback",
};

/** An account reads few sessions of its own; the server looks the rest of them up in the row. */
const OWN = ["idx_account"];

const CASES: readonly Case[] = [
  { covers: "insertAccount", run: (session) => insertAccount(session, { name: "new", role: "viewer", scopes: [] }) },
  { covers: "readAccount", run: (session) => readAccount(session, "7"), uses: ["PRIMARY"] },
  { covers: "findAccount", run: (session) => findAccount(session, "person-7"), uses: ["uk_name"] },
  {
    covers: "findAccountBySubject",
    run: (session) => findAccountBySubject(session, "https://id.example|7"),
    uses: ["uk_subject"],
  },
  { covers: "findNamesBeginning", run: (session) => findNamesBeginning(session, ["token:"]), uses: ["uk_name"] },
  { covers: "insertOidcFlow", run: (session) => insertOidcFlow(session, { ...FLOW, tokenHash: hashOf(1e6) }) },
  { covers: "takeOidcFlow", run: (session) => takeOidcFlow(session, hashOf(7)), uses: ["PRIMARY", "PRIMARY"] },
  { covers: "removeOldOidcFlows", run: (session) => removeOldOidcFlows(session), uses: ["idx_expire"] },
  { covers: "confirmSession", run: (session) => confirmSession(session, hashOf(7)), uses: ["PRIMARY"] },
  { covers: "readPasswordHash", run: (session) => readPasswordHash(session, "7"), uses: ["PRIMARY"] },
  { covers: "hasAccount", run: (session) => hasAccount(session), wholeTable: ["t_retry_account", "reads one row"] },
  { covers: "listAccounts", run: (session) => listAccounts(session), wholeTable: ["a", "one row per person"] },
  {
    covers: "lockActiveAdmins",
    run: (session) => lockActiveAdmins(session),
    wholeTable: ["t_retry_account", "one row per person"],
  },
  {
    covers: "setAccountAccess",
    run: (session) => setAccountAccess(session, { id: "7", role: "viewer", scopes: undefined }),
    uses: ["PRIMARY"],
  },
  {
    covers: "setAccountDisabled",
    run: (session) => setAccountDisabled(session, { id: "7", isDisabled: true }),
    uses: ["PRIMARY"],
  },
  {
    covers: "setPasswordHash",
    run: (session) => setPasswordHash(session, { id: "7", passwordHash: "x" }),
    uses: ["PRIMARY"],
  },
  {
    covers: "insertSession",
    run: (session) =>
      insertSession(session, { tokenHash: hashOf(1e6), accountId: "7", ip: undefined, userAgent: undefined }),
  },
  { covers: "readSessionOwner", run: (session) => readSessionOwner(session, hashOf(7)), uses: ["PRIMARY + PRIMARY"] },
  { covers: "touchSession", run: (session) => touchSession(session, hashOf(7)), uses: ["PRIMARY"] },
  { covers: "listSessions", run: (session) => listSessions(session, "7"), uses: OWN },
  { covers: "removeSession", run: (session) => removeSession(session, hashOf(7)), uses: ["PRIMARY"] },
  {
    covers: "removeSessionById",
    run: (session) => removeSessionById(session, { accountId: "7", id: "0000" }),
    uses: OWN,
  },
  {
    covers: "removeSessions",
    run: (session) => removeSessions(session, { accountId: "7", exceptHash: hashOf(7) }),
    uses: OWN,
  },
  { covers: "removeEndedSessions", run: (session) => removeEndedSessions(session, "7"), uses: OWN },
  { covers: "readSignInLink", run: (session) => readSignInLink(session, hashOf(7)), uses: ["PRIMARY + PRIMARY"] },
  {
    covers: "takeSignInLink",
    run: (session) => takeSignInLink(session, hashOf(7)),
    uses: ["PRIMARY", "PRIMARY + PRIMARY"],
  },
  {
    covers: "insertSignInLink",
    run: (session) => insertSignInLink(session, { tokenHash: hashOf(1e6), accountId: "7" }),
    wholeTable: ["t_retry_sign_in_link", "one row per link of the last two days"],
  },
  {
    covers: "removeSignInLinks",
    run: (session) => removeSignInLinks(session, "7"),
    wholeTable: ["t_retry_sign_in_link", "one row per link of the last two days"],
  },
  { covers: "takeSignInAttempt", run: (session) => takeSignInAttempt(session, LIMIT), uses: ["PRIMARY", "PRIMARY"] },
  {
    covers: "giveBackSignInAttempt",
    run: (session) => giveBackSignInAttempt(session, LIMIT),
    uses: ["PRIMARY"],
  },
  { covers: "clearSignInAttempts", run: (session) => clearSignInAttempts(session, LIMIT.subject), uses: ["PRIMARY"] },
  {
    covers: "removeOldSignInCounts",
    run: (session) => removeOldSignInCounts(session),
    wholeTable: ["t_retry_sign_in_count", "one row per attempt of the last day that failed, and those are limited"],
  },
];

describe(`with ${ACCOUNTS} accounts of ${SESSIONS_EACH} sessions`, () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
    await test.database.transaction(async (session) => {
      for (let n = 1; n <= ACCOUNTS; n++) {
        const role = n % 50 === 0 ? "admin" : "viewer";
        await insertAccount(session, {
          ...{ name: `person-${n}`, role, scopes: ["T0"] },
          subject: `https://id.example|${n}`,
        });
        await insertOidcFlow(session, { ...FLOW, tokenHash: hashOf(n) });
        await insertSignInLink(session, { tokenHash: hashOf(n), accountId: String(n) });
        await takeSignInAttempt(session, { ...LIMIT, subject: `ip:10.0.0.${n}` });
        for (let own = 0; own < SESSIONS_EACH; own++) {
          const tokenHash = hashOf(n + own * ACCOUNTS);
          await insertSession(session, { tokenHash, accountId: String(n), ip: "10.0.0.1", userAgent: "test" });
        }
      }
    });
    await test.pool.query(
      "ANALYZE TABLE t_retry_account, t_retry_session, t_retry_sign_in_link, t_retry_sign_in_count, t_retry_oidc_flow",
    );
  });
  afterAll(() => test.drop());

  it.each(CASES.map((one) => [one.covers, one] as const))("%s reads only along its index", async (_, one) => {
    const explained = await explainStatements(test, (session) => one.run(session));
    for (const { text, steps } of explained) {
      const judged = steps.filter(({ table }) => table !== one.wholeTable?.[0]);
      expect({ text, faults: planFaults(judged) }).toEqual({ text, faults: [] });
    }
    if (one.wholeTable) return;
    expect(explained.map(({ steps }) => keysOf(steps))).toEqual(one.uses ?? []);
  });
});
