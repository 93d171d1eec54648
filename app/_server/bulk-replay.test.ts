import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Role } from "../../db/schema/account.ts";
import { registerEventType } from "../../db/queries/event-types.ts";
import { insertReplayItems } from "../../db/queries/replay-items.ts";
import { REPLAY_ROWS_MAX } from "../../db/queries/replay-summary.ts";
import { type ArchivedRowValues, insertArchivedRow } from "../../db/testing/archived-rows.ts";
import { insertTaskRow } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { abort, approve, pause, revert } from "./act-on-bulk.ts";
import { Asker, type SignedIn } from "./asker.ts";
import { createReplayInput, dryRunReplayInput } from "./bulk-replay-input.ts";
import { createReplay } from "./create-replay.ts";
import { consoleDatabase } from "./database.ts";
import { dryRunReplay } from "./dry-run-replay.ts";
import { exportBulkItems, listBulkItems, listBulks, readBulk } from "./read-bulk.ts";
import { replayTask } from "./replay-task.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  vi.stubEnv("DATABASE_URL", test.url);
  vi.stubEnv("REDRIVE_ZONE", test.zone.name);
});
beforeEach(async () => {
  for (const table of ["task", "attempt", "task_archive", "bulk", "bulk_item", "bulk_replay", "audit", "event_type"]) {
    await test.pool.query(`DELETE FROM t_retry_${table}`);
  }
  await test.database.use(async (session) => {
    for (const eventType of ["PAY", "SHIP"]) await registerEventType(session, eventType, "{}");
  });
});
afterAll(async () => {
  await consoleDatabase().close();
  await test.drop();
});

const DAY_MS = 86_400_000;
const YESTERDAY = new Date(Date.now() - DAY_MS);

function asker(actor: string, role: Role = "operator", scopes?: readonly string[], signedIn?: SignedIn): Asker {
  return new Asker({ actor, actorKind: "person", role, scopes, ip: "10.0.0.1", requestId: "r-1", signedIn });
}
const ada = asker("ada");
const admin = asker("root", "admin");
const ofPay = asker("bob", "operator", ["PAY"]);

const archive = (row: ArchivedRowValues) =>
  test.database.use((session) =>
    insertArchivedRow(session, { archivedAt: YESTERDAY, eventType: "PAY", status: "failed", ...row }),
  );
const archiveMany = async (count: number, status = 2) => {
  const numbers = Array.from({ length: Math.ceil(count / 1_000) }, (_, n) => `SELECT ${n} AS n`).join(" UNION ALL ");
  const thousand = Array.from({ length: 1_000 }, (_, n) => `SELECT ${n} AS n`).join(" UNION ALL ");
  await test.pool.query(
    `INSERT INTO t_retry_task_archive (id, archived_time, event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy,
      first_retry_interval, next_retry_time, create_time, update_time, claim_no, recycle_count)
      SELECT 1000 + a.n * 1000 + b.n, ?, 'PAY', CONCAT('k', a.n * 1000 + b.n), '{}', ?, 3, 3, 'FIXED', 10, ?, ?, ?, 1, 0
      FROM (${numbers}) AS a, (${thousand}) AS b WHERE a.n * 1000 + b.n < ?`,
    [...[test.zone.format(YESTERDAY), status], ...Array(3).fill(test.zone.format(YESTERDAY)), count],
  );
};
const order = (more: Record<string, unknown> = {}) =>
  createReplayInput.parse({ filter: {}, name: "INC-7", reason: "downstream is back", ...more });
const dryRun = (asks: Asker, filter: Record<string, unknown> = {}) =>
  dryRunReplay(asks, dryRunReplayInput.parse({ filter }));
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: unknown) => String((error as { code?: string }).code),
  );
const audits = async () =>
  (await test.pool.query("SELECT actor, action, correlation FROM t_retry_audit ORDER BY id"))[0] as {
    actor: string;
    action: string;
    correlation: string;
  }[];

describe("a dry run of a replay", () => {
  it("counts by type, cause and final state, samples, and tells what stands against them; it changes nothing", async () => {
    await archive({ id: "11", bizKey: "a", errorFingerprint: "f1", lastError: "boom password=s3cret-pass" });
    await archive({ id: "12", bizKey: "b", errorFingerprint: "f1", archivedAt: new Date(YESTERDAY.getTime() - 1_000) });
    await archive({ id: "13", bizKey: "b", errorFingerprint: "f2" });
    await archive({
      id: "14",
      eventType: "SHIP",
      bizKey: "c",
      status: "succeeded",
      archivedAt: new Date(YESTERDAY.getTime() + 5),
    });
    await archive({ id: "15", eventType: "GONE", bizKey: "d", status: "cancelled" });
    await archive({ id: "16", bizKey: "old", archivedAt: new Date(Date.now() - 8 * DAY_MS) });
    await archive({ id: "17", bizKey: "e" });
    await test.database.use((session) => insertTaskRow(session, { eventType: "PAY", bizKey: "a" }));
    const { id } = await replayTask(ada, "17", { reason: undefined });
    const dry = await dryRun(ada);
    expect(dry).toMatchObject({
      ...{ count: 6, isCapped: false, size: "click", needsApproval: false, succeeded: 1 },
      eventTypes: [
        { eventType: "PAY", count: 4 },
        { eventType: "GONE", count: 1 },
        { eventType: "SHIP", count: 1 },
      ],
      states: [
        { state: "failed", count: 4 },
        { state: "cancelled", count: 1 },
        { state: "succeeded", count: 1 },
      ],
      obstacles: { looked: 6, liveTwin: 2, replayed: 1, olderCopy: 1, unknownType: 1, free: 2 },
      oldestAt: new Date(YESTERDAY.getTime() - 1_000).toISOString(),
      newestAt: new Date(YESTERDAY.getTime() + 5).toISOString(),
    });
    expect(dry.causes.map(({ cause, count }) => [cause, count]).sort()).toEqual([
      ["f1", 2],
      ["f2", 1],
      ["none", 3],
    ]);
    expect(JSON.stringify(dry)).not.toContain("s3cret-pass");
    expect(new Date(dry.to ?? 0).getTime() - new Date(dry.from ?? 0).getTime()).toBe(7 * DAY_MS);
    expect(dry.samples).toHaveLength(5);
    expect(dry.samples[0]).not.toHaveProperty("bizContext");
    await test.pool.query("DELETE FROM t_retry_task WHERE id = ?", [id]);
    expect((await listBulks(ada, { limit: 10, cursor: undefined })).items).toEqual([]);
    expect((await audits()).map(({ action }) => action)).toEqual(["task.replay"]);
  });

  it.each([
    ["everything", {}, ["1", "2", "3"], ["1", "3"]],
    ["a state", { state: "failed" }, ["1", "2"], ["1"]],
    ["a cause", { cause: "f1" }, ["1", "2"], ["1"]],
    ["a key, at any time", { bizKey: "k" }, ["1", "2", "4"], ["1", "4"]],
    ["an id, at any time", { id: "4" }, ["4"], ["4"]],
  ])("by %s looks at the asker's event types only", async (_, filter, all, mine) => {
    await archive({ id: "1", bizKey: "k", errorFingerprint: "f1" });
    await archive({ id: "2", eventType: "SHIP", bizKey: "k", errorFingerprint: "f1" });
    await archive({ id: "3", bizKey: "z", status: "succeeded" });
    await archive({ id: "4", bizKey: "k", archivedAt: new Date(Date.now() - 60 * DAY_MS) });
    const idsOf = async (asks: Asker) => (await dryRun(asks, filter)).samples.map(({ id }) => id).sort();
    expect(await idsOf(ada)).toEqual(all);
    expect(await idsOf(ofPay)).toEqual(mine);
    expect((await dryRun(ofPay, filter)).count).toBe(mine.length);
    expect((await dryRun(asker("eve", "operator", []), filter)).count).toBe(0);
  });

  it("refuses whatever names another's event type or task", async () => {
    await archive({ id: "2", eventType: "SHIP" });
    const picked = [{ id: "2", archivedAt: YESTERDAY.toISOString() }];
    expect(await codeOf(dryRun(ofPay, { eventTypes: ["PAY", "SHIP"] }))).toBe("out_of_scope");
    expect(await codeOf(dryRun(ofPay, { picked }))).toBe("out_of_scope");
    expect(await codeOf(createReplay(ofPay, order({ filter: { picked } })))).toBe("out_of_scope");
    expect(await codeOf(createReplay(ofPay, order({ filter: { eventTypes: ["SHIP"] } })))).toBe("out_of_scope");
    expect(await codeOf(createReplay(ofPay, order()))).toBe("bulk_nothing");
    expect(await audits()).toEqual([]);
  });
});

describe("an order of a replay", () => {
  it("is stored with its frozen scope, begins after ten seconds, and is audited with it", async () => {
    await archive({ id: "1" });
    await archive({ id: "2", eventType: "SHIP" });
    const { asOf } = await dryRun(ada, { state: "failed" });
    await archive({ id: "3", archivedAt: new Date(new Date(asOf).getTime() + 1) });
    const made = await createReplay(ada, order({ filter: { state: "failed" }, seenAt: asOf, jitterSeconds: 60 }));
    expect(made).toMatchObject({
      ...{ action: "replay", state: "scheduled", estimate: 2, actor: "ada", ratePerSecond: 50, jitterMs: 60_000 },
      filter: {
        eventTypes: ["PAY", "SHIP"],
        archive: { status: "failed", withSucceeded: false, to: new Date(new Date(asOf).getTime() + 1).toISOString() },
      },
    });
    expect(made.startsInMs).toBeGreaterThan(8_000);
    expect(await audits()).toEqual([{ actor: "ada", action: "bulk.create", correlation: `bulk-${made.id}` }]);
  });

  it("C3: pressed twice is one action", async () => {
    await archive({ id: "1" });
    const range = { from: new Date(Date.now() - 2 * DAY_MS).toISOString(), to: new Date(Date.now() - 1).toISOString() };
    const press = (requestKey: string) => createReplay(ada, order({ filter: range, requestKey }));
    const first = await press("press-0001");
    expect((await press("press-0001")).id).toBe(first.id);
    expect(await codeOf(press("press-0002"))).toBe("bulk_same_open");
    await abort(ada, { id: first.id });
    expect((await press("press-0003")).id).not.toBe(first.id);
  });

  it("over tasks that succeeded must be confirmed, and their number typed, however few they are", async () => {
    await archive({ id: "1" });
    await archive({ id: "2", status: "succeeded" });
    expect(await codeOf(createReplay(ada, order()))).toBe("task_succeeded");
    expect(await codeOf(createReplay(ada, order({ confirmSucceeded: true })))).toBe("bulk_confirm");
    expect(await codeOf(createReplay(ada, order({ confirmCount: 2 })))).toBe("task_succeeded");
    const made = await createReplay(ada, order({ confirmSucceeded: true, confirmCount: 2 }));
    expect(made.filter.archive).toMatchObject({ withSucceeded: true });
    expect(await createReplay(ada, order({ filter: { state: "failed" } }))).toMatchObject({ estimate: 1 });
  });

  it("asks by its size as a bulk reset does: a number, the password again, a second person", async () => {
    await archiveMany(10_001);
    const person = { accountId: "1", sessionHash: "h", isExternal: false };
    const stale = asker("ada", "operator", undefined, { ...person, confirmedMsAgo: 3_600_000 });
    const fresh = asker("ada", "operator", undefined, { ...person, confirmedMsAgo: 1_000 });
    expect(await codeOf(createReplay(stale, order()))).toBe("bulk_confirm");
    expect(await codeOf(createReplay(stale, order({ confirmCount: 10_001 })))).toBe("step_up_required");
    const asked = await createReplay(fresh, order({ confirmCount: 10_001 }));
    expect(asked).toMatchObject({ state: "awaiting_approval", estimate: 10_001 });
    expect(await codeOf(approve(asker("ada", "admin"), { id: asked.id }))).toBe("bulk_own_approval");
    expect(await approve(admin, { id: asked.id })).toMatchObject({ state: "scheduled", approvedBy: "root" });
    await test.pool.query("DELETE FROM t_retry_task_archive WHERE id >= 2000");
    expect(await createReplay(stale, order({ filter: { state: "failed" } }))).toMatchObject({ estimate: 1_000 });
  });

  it("over more than may be replayed at once is refused", async () => {
    await archiveMany(REPLAY_ROWS_MAX);
    expect(await dryRun(admin)).toMatchObject({ isCapped: true, count: REPLAY_ROWS_MAX });
    expect(await codeOf(createReplay(admin, order({ confirmCount: REPLAY_ROWS_MAX })))).toBe("replay_too_many");
    expect(await audits()).toEqual([]);
  });

  it("takes picked tasks, each once, and nothing beside them", async () => {
    await archive({ id: "1", bizKey: "a" });
    await archive({ id: "1", bizKey: "b", archivedAt: new Date(YESTERDAY.getTime() - DAY_MS) });
    const at = YESTERDAY.toISOString();
    const picked = [
      { id: "1", archivedAt: at },
      { id: "1", archivedAt: at },
      { id: "9", archivedAt: at },
    ];
    expect(await createReplay(ada, order({ filter: { picked } }))).toMatchObject({
      ...{ estimate: 1, filter: { eventTypes: ["PAY"], archive: { picked: 2 } } },
    });
    expect(createReplayInput.safeParse({ ...order(), filter: { picked, state: "failed" } }).success).toBe(false);
  });

  it("needs the right to replay and the right to act in bulk", async () => {
    await archive({ id: "1" });
    for (const role of ["viewer", "auditor"] as const) {
      expect(await codeOf(createReplay(asker("eve", role), order()))).toBe("forbidden");
    }
  });
});

describe("a replay that is stored", () => {
  it("is nobody's who does not see all of its types, and cannot be reverted", async () => {
    await archive({ id: "1" });
    await archive({ id: "2", eventType: "SHIP" });
    const { id } = await createReplay(ada, order());
    expect(await codeOf(pause(ofPay, { id }))).toBe("out_of_scope");
    expect(await codeOf(readBulk(ofPay, id))).toBe("out_of_scope");
    expect((await listBulks(ofPay, { limit: 10, cursor: undefined })).items).toEqual([]);
    await test.pool.query("UPDATE t_retry_bulk SET state = 'finished', done_count = 1 WHERE id = ?", [id]);
    expect(await codeOf(revert(ada, { id }))).toBe("bulk_state");
  });

  it("tells of each archived task what became of it, page by page and as a file", async () => {
    await archive({ id: "1", bizKey: "=cmd|" });
    await archive({ id: "2" });
    await archive({ id: "2", bizKey: "again", archivedAt: new Date(YESTERDAY.getTime() + 1) });
    const { id } = await createReplay(ada, order());
    const twin = await test.database.use((session) => insertTaskRow(session, { eventType: "PAY", status: "failed" }));
    const at = YESTERDAY.toISOString();
    await test.database.use((session) =>
      insertReplayItems(session, id, [
        { id: "1", archivedAt: at, result: "skipped", detail: "live_twin", liveId: twin },
        { id: "2", archivedAt: at, result: "skipped", detail: "purged" },
        { id: "2", archivedAt: new Date(YESTERDAY.getTime() + 1).toISOString(), result: "done", liveId: "99" },
      ]),
    );
    await test.pool.query("UPDATE t_retry_bulk SET skipped_count = 2 WHERE id = ?", [id]);
    expect((await readBulk(ada, id)).skips).toEqual([
      { detail: "live_twin", count: 1 },
      { detail: "purged", count: 1 },
    ]);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listBulkItems(ada, { id, result: undefined, cursor, limit: 1 });
      for (const item of page.items) seen.push([item.bizKey, item.detail, item.liveId, item.status].join(" "));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual([`=cmd| live_twin ${twin} failed`, "key-2 purged  ", "again  99 "]);
    const csv = await (await exportBulkItems(ada, { id, result: "skipped" })).text();
    expect(csv.split("\r\n")).toMatchObject([
      "task_id,event_type,biz_key,result,detail,at,status_now,archived_at,live_task_id",
      expect.stringMatching(new RegExp(`^1,PAY,'=cmd\\|,skipped,live_twin,.*,failed,${at},${twin}$`)),
      expect.stringMatching(/^2,PAY,key-2,skipped,purged,/),
      "",
    ]);
  });
});
