import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { insertTaskRow, type TaskRowValues } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import type { Role } from "../../db/schema/account.ts";
import { abort, approve, pause, resume, revert, setPace } from "./act-on-bulk.ts";
import { Asker } from "./asker.ts";
import { createBulkInput, dryRunInput } from "./bulk-input.ts";
import { createBulk } from "./create-bulk.ts";
import { consoleDatabase } from "./database.ts";
import { dryRunBulk } from "./dry-run-bulk.ts";
import { listCauses } from "./list-causes.ts";
import { exportBulkItems, listBulkItems, listBulks, readBulk } from "./read-bulk.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  vi.stubEnv("DATABASE_URL", test.url);
  vi.stubEnv("REDRIVE_ZONE", test.zone.name);
});
beforeEach(async () => {
  for (const table of ["task", "attempt", "bulk", "bulk_item", "audit"]) {
    await test.pool.query(`DELETE FROM t_retry_${table}`);
  }
});
afterAll(async () => {
  await consoleDatabase().close();
  await test.drop();
});

function asker(actor: string, role: Role = "operator", scopes?: readonly string[]): Asker {
  return new Asker({ actor, actorKind: "person", role, scopes, ip: "10.0.0.1", requestId: "r-1" });
}
const ada = asker("ada");
const admin = asker("root", "admin");

const order = (more: Record<string, unknown> = {}) =>
  createBulkInput.parse({
    action: "reset",
    filter: { state: "failed" },
    name: "INC-7",
    reason: "downstream is back",
    ...more,
  });
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: unknown) => String((error as { code?: string }).code),
  );
const insert = (values: TaskRowValues = {}) =>
  test.database.use((session) =>
    insertTaskRow(session, {
      status: "failed",
      retryCount: 3,
      finishedTime: new Date("2026-11-01T00:00:00Z"),
      ...values,
    }),
  );
const insertMany = async (count: number, eventType = "PAY") => {
  await test.pool.query(
    `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy, first_retry_interval, next_retry_time, update_time)
      SELECT ?, CONCAT('many-', seq.n), '{}', 2, 3, 3, 'FIXED', 10, TIMESTAMPADD(DAY, -1, UTC_TIMESTAMP(3)), TIMESTAMPADD(DAY, -1, UTC_TIMESTAMP(3))
      FROM (SELECT a.n + b.n * 10 + c.n * 100 + d.n * 1000 + e.n * 10000 AS n FROM ${["a", "b", "c", "d", "e"].map((name) => `(SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9) AS ${name}`).join(", ")}) AS seq WHERE seq.n < ?`,
    [eventType, count],
  );
};
const audits = () =>
  test.database.use((session) =>
    session.rows<{ actor: string; action: string; correlation: string }>(
      sql`SELECT actor, action, correlation FROM t_retry_audit ORDER BY id`,
    ),
  );

describe("a dry run", () => {
  it("counts by type and by cause, samples, and tells what was reset twice before; it changes nothing", async () => {
    const again = await insert({ eventType: "PAY", errorFingerprint: "f1", lastError: "boom" });
    await insert({ eventType: "PAY", errorFingerprint: "f2" });
    await insert({ eventType: "SHIP", errorFingerprint: "f1", finishedTime: new Date("2026-11-02T00:00:00Z") });
    await insert({ eventType: "SHIP", status: "pending" });
    for (let times = 0; times < 2; times++) {
      await test.pool.query(
        "INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, create_time) VALUES (?, 'PAY', 'reset', 1, 1, UTC_TIMESTAMP(3))",
        [again],
      );
    }
    const dry = await dryRunBulk(ada, dryRunInput.parse({ action: "reset", filter: { state: "failed" } }));
    expect(dry).toMatchObject({
      count: 3,
      isCapped: false,
      size: "click",
      needsApproval: false,
      eventTypes: [
        { eventType: "PAY", count: 2 },
        { eventType: "SHIP", count: 1 },
      ],
      causes: [
        { cause: "f1", count: 2 },
        { cause: "f2", count: 1 },
      ],
      oldestAt: "2026-11-01T00:00:00.000Z",
      newestAt: "2026-11-02T00:00:00.000Z",
      resetOften: { count: 1, looked: 3 },
    });
    expect(dry.samples).toHaveLength(3);
    expect(dry.samples[0]).not.toHaveProperty("bizContext");
    expect(await listBulks(ada, { limit: 10, cursor: undefined })).toMatchObject({ items: [] });
    expect(await audits()).toEqual([]);
  });

  it("looks at the asker's event types only", async () => {
    await insert({ eventType: "PAY" });
    await insert({ eventType: "SHIP" });
    const scoped = asker("bob", "operator", ["PAY"]);
    const input = dryRunInput.parse({ action: "reset", filter: {} });
    expect(await dryRunBulk(scoped, input)).toMatchObject({ count: 1, eventTypes: [{ eventType: "PAY" }] });
    const foreign = dryRunInput.parse({ action: "reset", filter: { eventTypes: ["SHIP"] } });
    expect(await codeOf(dryRunBulk(scoped, foreign))).toBe("out_of_scope");
    const shipId = await insert({ eventType: "SHIP" });
    const byId = dryRunInput.parse({ action: "reset", filter: { state: "all", ids: [shipId] } });
    expect(await codeOf(dryRunBulk(scoped, byId))).toBe("out_of_scope");
  });
});

describe("an order", () => {
  it("is stored with its frozen scope, begins after ten seconds, and is audited with it", async () => {
    await insert({ eventType: "PAY" });
    await insert({ eventType: "SHIP" });
    const made = await createBulk(ada, order());
    expect(made).toMatchObject({ state: "scheduled", estimate: 2, actor: "ada", ratePerSecond: 50, done: 0 });
    expect(made.filter).toMatchObject({ state: "failed", eventTypes: ["PAY", "SHIP"] });
    expect(made.startsInMs).toBeGreaterThan(8_000);
    expect(made.startsInMs).toBeLessThanOrEqual(10_000);
    expect(await audits()).toEqual([{ actor: "ada", action: "bulk.create", correlation: `bulk-${made.id}` }]);
  });

  it("C3: pressed twice is one action, by its request key or by its filter", async () => {
    await insert({ eventType: "PAY" });
    const first = await createBulk(ada, order({ requestKey: "press-0001" }));
    const again = await createBulk(ada, order({ requestKey: "press-0001" }));
    expect(again.id).toBe(first.id);
    expect(await codeOf(createBulk(ada, order({ requestKey: "press-0002" })))).toBe("bulk_same_open");
    await abort(ada, { id: first.id });
    expect((await createBulk(ada, order({ requestKey: "press-0003" }))).id).not.toBe(first.id);
  });

  it("C3: of five equal requests at the same moment one is stored", async () => {
    await insert({ eventType: "PAY" });
    const codes = await Promise.all(Array.from({ length: 5 }, () => codeOf(createBulk(ada, order()))));
    expect(codes.sort()).toEqual(["bulk_same_open", "bulk_same_open", "bulk_same_open", "bulk_same_open", "done"]);
    expect((await listBulks(ada, { limit: 10, cursor: undefined })).items).toHaveLength(1);
    expect(await audits()).toHaveLength(1);
  });

  it("over nothing is refused", async () => {
    expect(await codeOf(createBulk(ada, order()))).toBe("bulk_nothing");
  });

  it("over more than 1,000 tasks needs their number: 1,000 pass without, 1,001 do not", async () => {
    await insertMany(1_000);
    const made = await createBulk(ada, order());
    expect(made).toMatchObject({ state: "scheduled", estimate: 1_000 });
    await abort(ada, { id: made.id });
    await insert({ eventType: "PAY" });
    for (const confirmCount of [undefined, 1_000, 2_000]) {
      expect(await codeOf(createBulk(ada, order({ confirmCount })))).toBe("bulk_confirm");
    }
    expect(await createBulk(ada, order({ confirmCount: 1_001 }))).toMatchObject({ state: "scheduled" });
  });

  it("over more than 10,000 tasks begins at once for an admin, and waits for a second person else", async () => {
    await insertMany(10_001);
    const asked = await createBulk(ada, order({ confirmCount: 10_001 }));
    expect(asked).toMatchObject({ state: "awaiting_approval" });
    expect(await codeOf(approve(ada, { id: asked.id })), "not by the one who asked").toBe("bulk_own_approval");
    expect(await codeOf(approve(asker("ada", "admin"), { id: asked.id })), "whatever the role by now").toBe(
      "bulk_own_approval",
    );
    expect(await approve(admin, { id: asked.id })).toMatchObject({ state: "scheduled", approvedBy: "root" });
    expect(await codeOf(approve(admin, { id: asked.id })), "a second press").toBe("bulk_state");
    await abort(ada, { id: asked.id });
    expect(await createBulk(admin, order({ confirmCount: 10_001 }))).toMatchObject({ state: "scheduled" });
    expect((await audits()).map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      "ada bulk.create",
      "root bulk.approve",
      "ada bulk.abort",
      "root bulk.create",
    ]);
  });

  it("is not about what failed after the person looked", async () => {
    await insert({ eventType: "PAY" });
    await insert({ eventType: "PAY", finishedTime: new Date("2026-11-05T00:00:00Z") });
    expect(await createBulk(ada, order({ seenAt: "2026-11-03T00:00:00Z" }))).toMatchObject({
      estimate: 1,
      boundAt: "2026-11-03T00:00:00.000Z",
    });
  });

  it.each([
    ["a state that the action cannot change", { filter: { state: "due" } }],
    ["all states without ids", { filter: { state: "all" } }],
    ["an empty name", { name: " " }],
    ["no reason", { reason: "" }],
    ["a pace of nothing", { ratePerSecond: 0 }],
    ["a canary of more than everything", { canary: { rows: 10, share: 1.1 } }],
    ["an unknown word", { force: true }],
  ])("with %s is refused", (_, more) => {
    expect(createBulkInput.safeParse({ ...order(), seenAt: undefined, ...more }).success).toBe(false);
  });
});

describe("an action that is open", () => {
  it("is paused, resumed, paced and aborted by those who see its types; each step is audited, none is made twice", async () => {
    await insert({ eventType: "PAY" });
    const { id } = await createBulk(ada, order());
    expect(await setPace(ada, { id, ratePerSecond: null })).toMatchObject({ ratePerSecond: null });
    expect(await pause(ada, { id })).toMatchObject({ state: "paused" });
    expect(await codeOf(pause(ada, { id }))).toBe("bulk_state");
    expect(await resume(ada, { id })).toMatchObject({ state: "scheduled" });
    expect(await abort(ada, { id, reason: "wrong type" })).toMatchObject({ state: "aborted" });
    for (const act of [pause, resume, abort]) expect(await codeOf(act(ada, { id }))).toBe("bulk_state");
    expect(await codeOf(setPace(ada, { id, ratePerSecond: 5 }))).toBe("bulk_state");
    expect((await audits()).map(({ action }) => action)).toEqual([
      "bulk.create",
      "bulk.pace",
      "bulk.pause",
      "bulk.resume",
      "bulk.abort",
    ]);
  });

  it("is nobody's who does not see all of its types", async () => {
    await insert({ eventType: "PAY" });
    await insert({ eventType: "SHIP" });
    const { id } = await createBulk(ada, order());
    const scoped = asker("bob", "admin", ["PAY"]);
    for (const act of [pause, resume, abort, approve, revert])
      expect(await codeOf(act(scoped, { id }))).toBe("out_of_scope");
    expect(await codeOf(setPace(scoped, { id, ratePerSecond: 1 }))).toBe("out_of_scope");
    expect(await codeOf(readBulk(scoped, id))).toBe("out_of_scope");
    expect(await codeOf(listBulkItems(scoped, { id, result: undefined, cursor: undefined, limit: 5 }))).toBe(
      "out_of_scope",
    );
    expect((await listBulks(scoped, { limit: 10, cursor: undefined })).items).toEqual([]);
    expect((await readBulk(ada, id)).bulk.state).toBe("scheduled");
    expect(await codeOf(readBulk(ada, "4611686018427387000"))).toBe("bulk_not_found");
  });

  it("CONSOLE 4: hands its tasks out as a file only after it has written down who took them", async () => {
    await insert({ eventType: "PAY" });
    const { id } = await createBulk(ada, order());
    expect(await codeOf(exportBulkItems(asker("bob", "operator", ["SHIP"]), { id, result: "skipped" }))).toBe(
      "out_of_scope",
    );
    const file = await exportBulkItems(ada, { id, result: "skipped" });
    expect(await file.text()).toContain("task_id,event_type,biz_key");
    const [entries] = await test.pool.query(
      "SELECT actor, object_id, correlation, detail FROM t_retry_audit WHERE action = 'bulk.export'",
    );
    expect(entries).toEqual([
      { actor: "ada", object_id: id, correlation: `bulk-${id}`, detail: '{"filter":{"result":"skipped"}}' },
    ]);
  });

  it("is reverted only once it changes nothing any more", async () => {
    await insert({ eventType: "PAY" });
    const { id } = await createBulk(ada, order());
    expect(await codeOf(revert(ada, { id }))).toBe("bulk_state");
    await test.pool.query("UPDATE t_retry_bulk SET state = 'finished', done_count = 1 WHERE id = ?", [id]);
    const back = await revert(ada, { id, reason: "wrong type" });
    expect(back).toMatchObject({
      action: "revert",
      state: "scheduled",
      estimate: 1,
      filter: { bulkId: id, eventTypes: ["PAY"] },
    });
    expect(await codeOf(revert(ada, { id })), "a second press").toBe("bulk_same_open");
    expect(await readBulk(ada, back.id)).toMatchObject({ source: { id, name: "INC-7" } });
  });
});

describe("the list of causes", () => {
  it("groups failed tasks by fingerprint over types, those without one together, within the asker's scopes", async () => {
    await insert({ eventType: "PAY", errorFingerprint: "f1", lastError: "<b>boom</b>" });
    await insert({
      eventType: "SHIP",
      errorFingerprint: "f1",
      lastError: "newest",
      finishedTime: new Date("2026-11-03T00:00:00Z"),
    });
    await insert({ eventType: "SHIP", errorFingerprint: null });
    await insert({ eventType: "SHIP", errorFingerprint: "f2", status: "succeeded" });
    const all = await listCauses(ada);
    expect(all).toMatchObject({
      failed: 3,
      isCapped: false,
      otherCauses: 0,
      causes: [
        {
          cause: "f1",
          count: 2,
          firstAt: "2026-11-01T00:00:00.000Z",
          lastAt: "2026-11-03T00:00:00.000Z",
          sample: { eventType: "SHIP", errorHead: "newest" },
        },
        { cause: "none", count: 1, eventTypes: [{ eventType: "SHIP", count: 1 }] },
      ],
    });
    expect(await listCauses(asker("bob", "viewer", ["PAY"]))).toMatchObject({
      failed: 1,
      causes: [{ cause: "f1", count: 1 }],
    });
    expect(await listCauses(asker("eve", "viewer", []))).toMatchObject({ failed: 0, causes: [] });
  });
});
