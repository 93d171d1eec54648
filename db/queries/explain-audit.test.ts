import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { explainStatements, keysOf, planFaults } from "../testing/explain.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import {
  findApiToken,
  insertApiToken,
  listApiTokens,
  lockApiToken,
  revokeApiToken,
  touchApiToken,
} from "./api-tokens.ts";
import {
  claimIdempotencyKey,
  releaseIdempotencyKey,
  removeOldIdempotencyKeys,
  storeIdempotentAnswer,
} from "./idempotency.ts";
import { type AuditFilter, countAudit, findAuditEntry, listAudit } from "./list-audit.ts";

interface Case {
  /** The exported function, by name; `how` tells apart several cases of one. */
  readonly covers: string;
  readonly how?: string;
  readonly run: (session: Session) => Promise<unknown>;
  /** Per statement that reads rows, in order: the indexes it goes through. */
  readonly uses: readonly string[];
}

const ROWS = 5_000;
const NOW = Date.now();
const FROM = new Date(NOW - 40 * 60_000);
const TO = new Date(NOW - 20 * 60_000);

const page = (session: Session, filter: AuditFilter, towards?: "older" | "newer") =>
  listAudit(session, { filter, limit: 50, ...(towards ? { cursor: { id: "50", towards } } : {}) });

const CASES: readonly Case[] = [
  { covers: "listAudit", how: "all", run: (session) => page(session, {}), uses: ["PRIMARY", "PRIMARY"] },
  { covers: "listAudit", how: "older", run: (session) => page(session, {}, "older"), uses: ["PRIMARY", "PRIMARY"] },
  { covers: "listAudit", how: "newer", run: (session) => page(session, {}, "newer"), uses: ["PRIMARY", "PRIMARY"] },
  {
    covers: "listAudit",
    how: "of one actor",
    run: (session) => page(session, { actor: "actor-3" }, "older"),
    uses: ["idx_actor", "PRIMARY"],
  },
  {
    covers: "listAudit",
    how: "of one object",
    run: (session) => page(session, { objectKind: "task", objectId: "7" }),
    uses: ["idx_object", "PRIMARY"],
  },
  {
    covers: "listAudit",
    how: "of one action of several objects",
    run: (session) => page(session, { correlation: "c-7", actor: "actor-7" }),
    uses: ["idx_correlation", "idx_correlation", "PRIMARY"],
  },
  {
    covers: "listAudit",
    how: "within a time, by a filter without an index, for a reader with scopes",
    run: (session) =>
      page(session, {
        from: FROM,
        to: TO,
        action: "task.*",
        result: "ok",
        within: { eventTypes: ["T1", "T2"], actor: "actor-1", actorKind: "person" },
      }),
    uses: ["idx_time", "idx_time", "PRIMARY", "PRIMARY"],
  },
  { covers: "countAudit", how: "all", run: (session) => countAudit(session, {}), uses: ["PRIMARY"] },
  {
    covers: "countAudit",
    how: "of one actor and result",
    run: (session) => countAudit(session, { actor: "actor-3", result: "denied" }),
    uses: ["idx_actor"],
  },
  { covers: "findAuditEntry", run: (session) => findAuditEntry(session, "77"), uses: ["PRIMARY"] },
  { covers: "insertApiToken", run: (session) => insertApiToken(session, { ...TOKEN, tokenHash: "new" }), uses: [] },
  { covers: "listApiTokens", run: (session) => listApiTokens(session), uses: ["PRIMARY"] },
  { covers: "lockApiToken", run: (session) => lockApiToken(session, "7"), uses: ["PRIMARY"] },
  { covers: "findApiToken", run: (session) => findApiToken(session, "hash-7"), uses: ["uk_token"] },
  { covers: "revokeApiToken", run: (session) => revokeApiToken(session, "7"), uses: ["PRIMARY"] },
  { covers: "touchApiToken", run: (session) => touchApiToken(session, "7"), uses: ["PRIMARY"] },
  {
    covers: "claimIdempotencyKey",
    run: (session) => claimIdempotencyKey(session, { keyHash: "key-new", requestHash: "r", claim: "mine" }),
    uses: ["PRIMARY", "PRIMARY"],
  },
  {
    covers: "storeIdempotentAnswer",
    run: (session) => storeIdempotentAnswer(session, { keyHash: "key-7", claim: "c" }, { status: 200, body: "{}" }),
    uses: ["PRIMARY"],
  },
  {
    covers: "releaseIdempotencyKey",
    run: (session) => releaseIdempotencyKey(session, { keyHash: "key-7", claim: "c" }),
    uses: ["PRIMARY"],
  },
  {
    covers: "removeOldIdempotencyKeys",
    run: (session) => removeOldIdempotencyKeys(session),
    uses: ["PRIMARY + idx_time"],
  },
];

const TOKEN = { name: "ci", role: "operator", scopes: undefined, createdBy: "ada", expiresInMs: undefined } as const;

/** Names under which the servers list what they build for one statement. */
const BUILT = new Set(["scan", "list", "wanted", ""]);

describe.each([ROWS, 100])("with %i rows", (rows) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
    await fill(test, rows);
  });
  afterAll(() => test.drop());

  it.each(CASES.map((one) => [[one.covers, one.how].filter(Boolean).join(", "), one] as const))(
    "%s reads only along its index",
    async (_, one) => {
      const explained = await explainStatements(test, (session) => one.run(session));
      const plans = explained.map(({ text, steps }) => ({
        text,
        steps: steps.filter(({ table, key }) => !(BUILT.has(table) && key === "")),
      }));
      // The whole primary key in its order, ended by the limit, is the way to the newest entries.
      for (const { text, steps } of plans) {
        const faults = planFaults(steps).filter(
          (fault) => !(/ORDER BY \S*\bid`? DESC LIMIT/.test(text) && /reads the whole index PRIMARY/.test(fault)),
        );
        expect({ text, faults }).toEqual({ text, faults: [] });
      }
      const keys = plans.map(({ steps }) => keysOf([...steps].sort((a, b) => (a.key < b.key ? -1 : 1))));
      // A unique key that is not there is known before the plan is made, which then reads nothing.
      expect(keys.map((key, index) => (key === "" ? one.uses[index] : key))).toEqual(one.uses);
    },
  );
});

async function fill(test: TestDatabase, rows: number): Promise<void> {
  const at = (n: number) => test.zone.format(new Date(NOW - (rows - n) * 1_000));
  const many = Array.from({ length: rows }, (_, n) => n);
  const audits = many.map(
    (n) =>
      `('${at(n)}', 'actor-${n % 10}', 'person', 'task.reset', 'task', '${n % 50}', 'T${n % 5}', 'ok', 'c-${n % 100}', '{}')`,
  );
  await test.pool.query(
    `INSERT INTO t_retry_audit (create_time, actor, actor_kind, action, object_kind, object_id, event_type, result, correlation, detail) VALUES ${audits.join(",")}`,
  );
  const old = (n: number) => test.zone.format(new Date(NOW - 90_000_000 + n * 1_000));
  await test.pool.query(
    `INSERT INTO t_retry_idempotency (key_hash, request_hash, body, create_time) VALUES ${many.map((n) => `('key-${n}', 'r', 'c', '${n < rows / 2 ? old(n) : at(n)}')`).join(",")}, ('key-new', 'r', 'c', '${at(rows)}')`,
  );
  await test.pool.query(
    `INSERT INTO t_retry_api_token (name, token_hash, role, created_by, create_time) VALUES ${many
      .slice(0, 100)
      .map((n) => `('t${n}', 'hash-${n}', 'viewer', 'ada', '${at(n)}')`)
      .join(",")}`,
  );
  await test.pool.query("ANALYZE TABLE t_retry_audit, t_retry_idempotency, t_retry_api_token");
}
