import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import {
  atRepeatableRead,
  BusinessConnection,
  holdOpen,
  type LockOutcome,
  lockedTaskIds,
  recordLocks,
} from "../testing/locks.ts";
import { insertTaskRow } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { lockForBulk } from "./bulk-batch.ts";
import { readBulkBounds } from "./bulk-operations.ts";
import type { BulkScope } from "./bulk-scope.ts";
import { cancelTask } from "./cancel-task.ts";
import { claimDueTasks, claimTasksById } from "./claim-tasks.ts";
import { completeTasks } from "./complete-tasks.ts";
import { failTask, rescheduleTask, snoozeTask } from "./end-attempt.ts";
import { insertAttempts } from "./insert-attempts.ts";
import { listAbandonedTasks, recycleTasks } from "./recycle-tasks.ts";
import { releaseTasks } from "./release-tasks.ts";
import { resetTask } from "./reset-task.ts";
import { resetTasks } from "./reset-tasks.ts";
import { registerWorker, stopWorker } from "./workers.ts";

const CLAIMER = { owner: "me", ip: "10.0.0.1" };
const ERROR = { text: "boom", fingerprint: "f" };
const DUE = new Date("2026-03-01T12:00:00.000Z");
const dueAt = (n: number) => new Date(DUE.getTime() + n * 1_000);
const keyOf = (n: number) => `k-${String(n).padStart(2, "0")}`;

/** One type with 30 due tasks, 10 for later, 10 running under `me`, 10 abandoned ones, 5 failed and 20 finished. */
interface Scene {
  readonly eventType: string;
  readonly due: readonly string[];
  readonly mine: readonly { readonly id: string; readonly claimNo: number }[];
  readonly failed: readonly string[];
}

let test: TestDatabase;
let business: BusinessConnection;
let scene: Scene;
beforeAll(async () => {
  test = await createTestDatabase({ connectionLimit: 4 });
  business = await BusinessConnection.open(test);
});
afterAll(async () => {
  await business.close();
  await test.drop();
});
beforeEach(async () => {
  scene = await test.database.transaction((session) => setScene(session));
});

async function setScene(session: Session): Promise<Scene> {
  // A type of its own, between types that hold nothing, so that entries of earlier tests are no neighbours.
  const eventType = `T-${randomBytes(4).toString("hex")}`;
  let n = 0;
  const add = async (values: Parameters<typeof insertTaskRow>[1]) => {
    const id = await insertTaskRow(session, { eventType, bizKey: keyOf(n), nextRetryTime: dueAt(n), ...values });
    n++;
    return id;
  };
  const repeat = async (times: number, values: Parameters<typeof insertTaskRow>[1]) => {
    const ids: string[] = [];
    for (let count = 0; count < times; count++) ids.push(await add(values));
    return ids;
  };
  const due = await repeat(30, {});
  await repeat(10, { nextRetryTime: new Date("2099-01-01T00:00:00Z") });
  const mine = await repeat(10, { status: "running", owner: "me", claimNo: 1 });
  await repeat(10, { status: "running", owner: null, updateTime: new Date(0) });
  const failed = await repeat(5, { status: "failed", retryCount: 3 });
  await repeat(20, { status: "succeeded" });
  return { eventType, due, mine: mine.map((id) => ({ id, claimNo: 1 })), failed };
}

describe("the rows a claim locks", () => {
  it("are the claimed ones and at most one more, while as many again are due", async () => {
    const held = await holdOpen(test.database, (session) =>
      claimDueTasks(session, CLAIMER, { eventType: scene.eventType, limit: 10 }),
    );
    const claimed = held.result.map(({ id }) => id);
    // Counted first: the look at the rows turns implicit locks of new index entries into counted ones.
    const locks = await recordLocks(test, held.connectionId);
    const locked = await lockedTaskIds(test);
    await held.commit();
    expect(claimed).toEqual(scene.due.slice(0, 10));
    expect(locked).toEqual(expect.arrayContaining(claimed));
    expect(locked.length).toBeLessThanOrEqual(11);
    // A locked row counts in idx_claim and in the primary key.
    expect(locks).toBeGreaterThanOrEqual(20);
    expect(locks).toBeLessThanOrEqual(22);
  });

  it("are the claimed ones and at most one more, when the limit exceeds the backlog", async () => {
    const held = await holdOpen(test.database, (session) =>
      claimDueTasks(session, CLAIMER, { eventType: scene.eventType, limit: 200 }),
    );
    // Counted first: the look at the rows turns implicit locks of new index entries into counted ones.
    const locks = await recordLocks(test, held.connectionId);
    const locked = await lockedTaskIds(test);
    await held.commit();
    expect(held.result).toHaveLength(30);
    expect(locked).toEqual(expect.arrayContaining([...scene.due]));
    expect(locked.length).toBeLessThanOrEqual(31);
    expect(locks).toBeGreaterThanOrEqual(60);
    expect(locks).toBeLessThanOrEqual(62);
  });

  it("are the claimed ones only, when it claims by id and some of the ids are not claimable", async () => {
    const asked = [...scene.due.slice(0, 5), ...scene.failed];
    const held = await holdOpen(test.database, (session) =>
      claimTasksById(session, CLAIMER, { eventType: scene.eventType, ids: asked }),
    );
    const locked = await lockedTaskIds(test);
    await held.commit();
    expect(held.result.map(({ id }) => id)).toEqual(scene.due.slice(0, 5));
    expect(locked).toEqual(scene.due.slice(0, 5));
  });
});

describe("the rows a completion locks", () => {
  it("are its own, and not those of claims it no longer holds", async () => {
    const lost = scene.mine.slice(5).map(({ id }) => ({ id, claimNo: 9 }));
    const held = await holdOpen(test.database, (session) =>
      completeTasks(session, "me", [...scene.mine.slice(0, 5), ...lost]),
    );
    const locked = await lockedTaskIds(test);
    await held.commit();
    expect(held.result).toBe(5);
    expect(locked).toEqual(scene.mine.slice(0, 5).map(({ id }) => id));
  });
});

describe("claimers at the same moment", () => {
  it("take the next rows in order while the first transaction is open, none twice and none of them empty-handed", async () => {
    const claim = (owner: string) => (session: Session) =>
      claimDueTasks(session, { owner, ip: "10.0.0.1" }, { eventType: scene.eventType, limit: 10 });
    const first = await holdOpen(test.database, claim("first"));
    const second = await holdOpen(test.database, claim("second"));
    const third = await test.database.transaction(claim("third"));
    await second.commit();
    await first.commit();
    expect(first.result.map(({ id }) => id)).toEqual(scene.due.slice(0, 10));
    expect(second.result.map(({ id }) => id)).toEqual(scene.due.slice(10, 20));
    expect(third.map(({ id }) => id)).toEqual(scene.due.slice(20, 30));
  });

  it("do not wait for a business transaction that has not committed its task, and do not take that task", async () => {
    const eventType = scene.eventType;
    const held = await holdOpen(atRepeatableRead(test), (session) =>
      insertTaskRow(session, { eventType, nextRetryTime: new Date(DUE.getTime() - 1_000) }),
    );
    const claimed = await test.database.transaction((session) =>
      claimDueTasks(session, CLAIMER, { eventType, limit: 200 }),
    );
    await held.commit();
    expect(claimed.map(({ id }) => id)).toEqual(scene.due);
    const after = await test.database.transaction((session) =>
      claimDueTasks(session, CLAIMER, { eventType, limit: 200 }),
    );
    expect(after.map(({ id }) => id)).toEqual([held.result]);
  });

  it("skip a row that a person's reset has open instead of waiting for it", async () => {
    const { eventType } = scene;
    const id = scene.failed[0] ?? "";
    const held = await holdOpen(test.database, (session) => resetTask(session, { id, actor: "ada" }));
    const claimed = await test.database.transaction((session) =>
      claimDueTasks(session, CLAIMER, { eventType, limit: 200 }),
    );
    await held.commit();
    expect(held.result).toMatchObject({ outcome: "done" });
    expect(claimed.map((one) => one.id)).toEqual(scene.due);
  });
});

describe("a reset of a stuck task", () => {
  it("takes no lock on its owner's row, which that worker may be renewing at this moment", async () => {
    const { eventType } = scene;
    const owner = `w-${eventType}`;
    await test.database.transaction(async (session) => {
      await registerWorker(session, {
        ...{ owner, host: "h", ip: "10.0.0.1", pid: 1, version: "1", deadAfterMs: 10_000, eventTypes: [] },
      });
      await stopWorker(session, owner);
    });
    const [one = "", other = ""] = await test.database.use(async (session) => [
      await insertTaskRow(session, { eventType, bizKey: "stuck-1", status: "running", owner, claimNo: 1 }),
      await insertTaskRow(session, { eventType, bizKey: "stuck-2", status: "running", owner, claimNo: 1 }),
    ]);
    const held = await holdOpen(test.database, async (session) => {
      const scope: BulkScope = {
        action: "reset",
        filter: { state: "stuck", eventTypes: [eventType] },
        bounds: await readBulkBounds(session),
      };
      const locked = await lockForBulk(session, [one], scope);
      return {
        locked: locked.filter(({ matches }) => matches).map(({ id }) => id),
        changed: await resetTasks(session, { ids: [one] }),
        single: (await resetTask(session, { id: other, actor: "ada" })).outcome,
      };
    });
    expect(held.result).toEqual({ locked: [one], changed: 1, single: "done" });
    const connection = await test.pool.getConnection();
    try {
      await connection.query("SET SESSION innodb_lock_wait_timeout = 1");
      await connection.query("UPDATE t_retry_worker SET state = 'running' WHERE owner = ?", [owner]);
    } finally {
      connection.release();
      await held.commit();
    }
  });
});

/** Transactions of ours, each with the number of rows it must have changed to prove anything. */
const TRANSACTIONS: readonly (readonly [name: string, changed: number, work: (session: Session) => Promise<number>])[] =
  [
    [
      "a claim of a full batch",
      10,
      async (session) => (await claimDueTasks(session, CLAIMER, { eventType: scene.eventType, limit: 10 })).length,
    ],
    [
      "a claim beyond the backlog",
      30,
      async (session) => (await claimDueTasks(session, CLAIMER, { eventType: scene.eventType, limit: 200 })).length,
    ],
    [
      "a claim from a known due time",
      20,
      async (session) => {
        const dueFrom = session.zone.format(dueAt(10));
        return (await claimDueTasks(session, CLAIMER, { eventType: scene.eventType, limit: 200, dueFrom })).length;
      },
    ],
    [
      "a claim on an empty queue",
      0,
      async (session) =>
        (await claimDueTasks(session.at(new Date(0)), CLAIMER, { eventType: scene.eventType, limit: 200 })).length,
    ],
    [
      "a claim by id",
      30,
      async (session) =>
        (await claimTasksById(session, CLAIMER, { eventType: scene.eventType, ids: scene.due })).length,
    ],
    [
      "a recycle that gives back and ends",
      10,
      async (session) => {
        const abandoned = await listAbandonedTasks(session, {
          eventType: scene.eventType,
          self: "me",
          foreignAfterMs: 1_000,
        });
        const withBothEnds = abandoned.map((one, n) => ({ ...one, recycleCount: n % 2 === 0 ? 0 : 99 }));
        return (await recycleTasks(session, withBothEnds, { maxRecycles: 3, by: "me" })).length;
      },
    ],
    ["a release", 10, (session) => releaseTasks(session, "me", scene.mine)],
    ["a release to a later time", 10, (session) => releaseTasks(session, "me", scene.mine, 5_000)],
    [
      "a reset of all failed",
      5,
      async (session) => {
        const verdicts = [];
        for (const id of scene.failed) verdicts.push(await resetTask(session, { id, actor: "ada" }));
        return verdicts.filter(({ outcome }) => outcome === "done").length;
      },
    ],
    [
      "a reset that finds nothing",
      0,
      async (session) => {
        const verdict = await resetTask(session, { id: "9223372036854775806", actor: "ada" });
        return verdict.outcome === "done" ? 1 : 0;
      },
    ],
    [
      "a cancel",
      5,
      async (session) => {
        const verdicts = [];
        for (const id of scene.due.slice(0, 5)) verdicts.push(await cancelTask(session, { id, actor: "ada" }));
        return verdicts.filter(({ outcome }) => outcome === "done").length;
      },
    ],
    ["a completion", 10, (session) => completeTasks(session, "me", scene.mine)],
    [
      "a completion of lost claims",
      0,
      (session) =>
        completeTasks(
          session,
          "me",
          scene.mine.map(({ id }) => ({ id, claimNo: 9 })),
        ),
    ],
    [
      "a failure with its history",
      3,
      async (session) => {
        const [one, two, three] = scene.mine;
        if (!one || !two || !three) return 0;
        const changed = [
          await rescheduleTask(session, "me", { ...one, delayMs: 10_000, error: ERROR }),
          await failTask(session, "me", { ...two, reason: "exhausted", counted: true, error: ERROR }),
          await snoozeTask(session, "me", { ...three, delayMs: 10_000 }),
        ];
        await insertAttempts(
          session,
          [one, two, three].map(({ id, claimNo }) => ({
            taskId: id,
            eventType: scene.eventType,
            kind: "failed",
            retryCount: 1,
            claimNo,
          })),
        );
        return changed.reduce((sum, rows) => sum + rows, 0);
      },
    ],
  ];

/** Inserts beside everything a transaction may hold: in `idx_claim`, in the unique index, at both ends and in between. */
async function insertAround(eventType: string): Promise<Record<string, LockOutcome>> {
  const outcomes: Record<string, LockOutcome> = {};
  const insert = async (what: string, row: Partial<Parameters<BusinessConnection["insert"]>[0]>) => {
    outcomes[what] = await business.insert({ eventType, bizKey: `new ${what}`, dueAt: new Date(), ...row });
  };
  await insert("due now", {});
  await insert("due before all", { dueAt: new Date("2000-01-01T00:00:00Z") });
  await insert("due with the first", { dueAt: dueAt(0) });
  await insert("due between two", { dueAt: new Date(dueAt(4).getTime() + 500) });
  await insert("due with the last", { dueAt: dueAt(29) });
  await insert("due after all", { dueAt: new Date("2199-01-01T00:00:00Z") });
  await insert("born running", { status: 3 });
  await insert("born running between two", { status: 3, dueAt: new Date(dueAt(44).getTime() + 500) });
  await insert("of the type before", { eventType: eventType.slice(0, -1) });
  await insert("of the type after", { eventType: `${eventType}0` });
  await insert("of the type after, due before all", { eventType: `${eventType}1`, dueAt: new Date(0) });
  for (const n of [0, 9, 29, 40, 49, 50, 59, 60, 64]) {
    await insert(`key before ${keyOf(n)}`, {
      bizKey: `${keyOf(n).slice(0, -1)}${String.fromCharCode(47 + (n % 10))}~`,
    });
    await insert(`key after ${keyOf(n)}`, { bizKey: `${keyOf(n)}!` });
    await insert(`key of ${keyOf(n)}, type after`, { bizKey: keyOf(n), eventType: `${eventType}!` });
    await insert(`key of ${keyOf(n)}, type before`, { bizKey: keyOf(n), eventType: eventType.slice(0, -2) });
  }
  return outcomes;
}

describe("a business insert at the server's default isolation", () => {
  it("runs at REPEATABLE READ here, where gap locks of others would hold it up", async () => {
    expect(await business.isolation()).toBe("REPEATABLE-READ");
  });

  it.each(TRANSACTIONS)("does not wait while %s is open", async (_, changed, work) => {
    const held = await holdOpen(test.database, work);
    const outcomes = await insertAround(scene.eventType);
    await held.commit();
    expect(held.result).toBe(changed);
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome !== "done")).toEqual([]);
    expect(Object.keys(outcomes)).toHaveLength(11 + 9 * 4);
  });
});

describe("the probe itself", () => {
  const ARTICLE_CLAIM = sql`UPDATE t_retry_task SET ip = '10.0.0.1', status = 3 WHERE status = 0 AND next_retry_time <= NOW(3)
    AND retry_count < max_retry_count ORDER BY next_retry_time LIMIT 50`;

  it("sees the insert blocked by the well-known UPDATE … ORDER BY … LIMIT under REPEATABLE READ", async () => {
    const held = await holdOpen(
      atRepeatableRead(test),
      async (session) => (await session.change(ARTICLE_CLAIM)).affectedRows,
    );
    const outcome = await business.insert({ eventType: scene.eventType, bizKey: "blocked", dueAt: new Date() });
    await held.commit();
    expect(held.result).toBeGreaterThan(0);
    expect(outcome).toBe(1205);
  });

  it("sees the insert blocked by our own empty-queue claim, were it not for READ COMMITTED", async () => {
    const eventType = `${scene.eventType}-empty`;
    const held = await holdOpen(atRepeatableRead(test), (session) =>
      claimDueTasks(session, CLAIMER, { eventType, limit: 10 }),
    );
    const outcome = await business.insert({ eventType, bizKey: "blocked", dueAt: new Date() });
    await held.commit();
    expect(held.result).toEqual([]);
    expect(outcome).toBe(1205);
  });

  it("counts more rows than claimed for a claim whose order no index gives", async () => {
    const held = await holdOpen(test.database, (session) =>
      session.rows<{ id: string }>(
        sql`SELECT CAST(id AS CHAR) AS id FROM t_retry_task FORCE INDEX (idx_claim) WHERE event_type = ${scene.eventType} AND status = 0
          AND next_retry_time <= ${session.now} ORDER BY create_time LIMIT 10 FOR UPDATE SKIP LOCKED`,
      ),
    );
    const locked = await lockedTaskIds(test);
    await held.commit();
    expect(held.result).toHaveLength(10);
    expect(locked.length).toBeGreaterThan(11);
  });
});
