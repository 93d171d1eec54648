import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { nodeScript } from "../../db/testing/node-script.ts";
import { readArchiveColumns } from "../../db/archive-columns.ts";
import { ensureArchivePartitions } from "../../db/archive-partitions.ts";
import { listArchivable, type ArchiveLane } from "../../db/queries/archive-tasks.ts";
import { claimDueTasks } from "../../db/queries/claim-tasks.ts";
import { findNewestTask } from "../../db/queries/find-task-id.ts";
import { insertAttempts } from "../../db/queries/insert-attempts.ts";
import { resetTask } from "../../db/queries/reset-task.ts";
import { listArchivedAttempts, showArchivedTask } from "../../db/queries/show-archived-task.ts";
import { BusinessConnection, holdOpen, type LockOutcome, lockedTaskIds, recordLocks } from "../../db/testing/locks.ts";
import { openTransactions } from "../../db/testing/open-transactions.ts";
import { idRows, render } from "../../db/session.ts";
import { insertTaskRow, readTaskRow } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { systemClock } from "../engine/clock.ts";
import { EngineEvents } from "../engine/events.ts";
import { archiveAll, faultsOf, insertEnded, placesOf, setType } from "../testing/archive-scene.ts";
import { Gate, waitFor } from "../testing/wait-for.ts";
import { ARCHIVE_STEPS, type ArchiveStep, moveToArchive } from "./archive-mover.ts";
import { ArchivePace } from "./archive-pace.ts";
import { countRipe } from "./archive-run.ts";
import { Archiver } from "./archiver.ts";

const CHILD = nodeScript(new URL("../testing/archive-child.ts", import.meta.url));
const WEEK_MS = 7 * 86_400_000;

let test: TestDatabase;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  test = await createTestDatabase({ connectionLimit: 12 });
  await test.database.use((session) => ensureArchivePartitions(session, new Date()));
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
});
afterAll(() => test.drop());

const newType = () => `T-${randomBytes(4).toString("hex")}`;
const laneOf = (eventType: string, status: ArchiveLane["status"] = "succeeded"): ArchiveLane => ({
  eventType,
  status,
  endedForMs: WEEK_MS,
});
const pool = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
  (await test.pool.query(text, [...values]))[0] as Row[];

/** How many tasks of a type the metrics say were moved. */
async function countedAsMoved(eventType: string): Promise<number> {
  const [row] = await pool<{ n: string | null }>(
    "SELECT SUM(archived_count) AS n FROM t_retry_metric WHERE event_type = ?",
    [eventType],
  );
  return Number(row?.n);
}

/** The connections other than this process's that are in our database. */
async function strangers(): Promise<number> {
  const [own] = await pool<{ n: number }>(
    "SELECT COUNT(*) AS n FROM information_schema.processlist WHERE db = DATABASE() AND (command <> 'Sleep' OR time > 0) AND id <> CONNECTION_ID()",
  );
  return Number(own?.n);
}

interface Child {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

function startChild(...more: string[]): Child {
  const child = spawn(process.execPath, [...CHILD, test.url, test.zone.name, ...more], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  return { process: child, output: () => output, ended };
}

/** The step's own occurrence at which a child is killed: late enough that work before it is done. */
const OCCURRENCE: Partial<Record<ArchiveStep, number>> = {
  chosen: 1,
  days_made: 1,
  late_copied: 1,
  late_removed: 1,
  late_committed: 1,
};

describe("an archiver whose process is killed", () => {
  it.each(ARCHIVE_STEPS)("at the step %s leaves each task in one place, and the next run goes on", async (step) => {
    const eventType = newType();
    await insertEnded(test, { eventType, count: 650, attempts: 2 });
    const [orphan] = await test.database.use(async (session) => {
      const id = await insertTaskRow(session, { eventType, status: "pending", dueInMs: 3_600_000 });
      const stale = { taskId: "4611686018427387904", eventType, kind: "stale", retryCount: 0, claimNo: 1 } as const;
      await insertAttempts(session.at(new Date(Date.now() - 7_200_000)), [stale]);
      return [id];
    });
    const created = {
      task: (await placesOf(test, "task", eventType)).live,
      attempt: (await placesOf(test, "attempt", eventType)).live,
    };
    expect(created.task.size).toBe(651);
    if (step === "days_made") await forgetDays();

    const child = startChild(step, String(OCCURRENCE[step] ?? 2));
    await waitFor(`the child to be at ${step}`, () => child.output().includes(`at ${step}`), 25_000);
    const seen = { task: await placesOf(test, "task", eventType), attempt: await placesOf(test, "attempt", eventType) };
    expect(faultsOf(created.task, seen.task)).toEqual([]);
    expect(faultsOf(created.attempt, seen.attempt)).toEqual([]);
    child.process.kill("SIGKILL");
    expect(await child.ended).toBe("SIGKILL");

    // The server rolls back once it notices; whoever comes next may be there before.
    const report = await waitFor("the rest to be moved", async () => {
      const next = await archiveAll(test, { eventType });
      const { live } = await placesOf(test, "task", eventType);
      return live.size === 1 && next;
    });
    expect(report.stuck).toEqual([]);
    const end = { task: await placesOf(test, "task", eventType), attempt: await placesOf(test, "attempt", eventType) };
    expect(faultsOf(created.task, end.task)).toEqual([]);
    expect(faultsOf(created.attempt, end.attempt)).toEqual([]);
    expect([...end.task.live.keys()]).toEqual([orphan]);
    expect(end.attempt.live.size).toBe(0);
    expect(await countedAsMoved(eventType)).toBe(650);
  });

  /** The state of a database in which no day was ever made. */
  async function forgetDays(): Promise<void> {
    for (const table of ["t_retry_task_archive", "t_retry_attempt_archive"]) {
      const names = await pool<{ name: string }>(
        "SELECT PARTITION_NAME AS name FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? ORDER BY PARTITION_ORDINAL_POSITION",
        [table],
      );
      if (names.length === 1) continue;
      await test.pool.query(
        `ALTER TABLE ${table} REORGANIZE PARTITION ${names.map(({ name }) => name).join(", ")} INTO (PARTITION p_default VALUES LESS THAN (MAXVALUE))`,
      );
    }
  }
});

describe("archivers at the same time", () => {
  it("five of them move each task once", async () => {
    const eventType = newType();
    await insertEnded(test, { eventType, count: 3_000 });
    const created = (await placesOf(test, "task", eventType)).live;
    const runs = await Promise.all(Array.from({ length: 5 }, () => archiveAll(test, { eventType })));
    expect(runs.flatMap(({ stuck }) => stuck)).toEqual([]);
    expect(runs.reduce((sum, { tasks }) => sum + tasks, 0)).toBe(3_000);
    const end = await placesOf(test, "task", eventType);
    expect(faultsOf(created, end)).toEqual([]);
    expect(end.live.size).toBe(0);
    expect(await countedAsMoved(eventType)).toBe(3_000);
  });

  it("five processes of them move each task once", async () => {
    const eventType = newType();
    await insertEnded(test, { eventType, count: 4_000 });
    const created = (await placesOf(test, "task", eventType)).live;
    const fleet = Array.from({ length: 5 }, () => startChild());
    expect(await Promise.all(fleet.map(({ ended }) => ended))).toEqual([0, 0, 0, 0, 0]);
    const moved = fleet.map(({ output }) => Number(/moved (\d+)/.exec(output())?.[1]));
    expect(moved.reduce((sum, tasks) => sum + tasks, 0)).toBe(4_000);
    expect(faultsOf(created, await placesOf(test, "task", eventType))).toEqual([]);
    expect(await countedAsMoved(eventType)).toBe(4_000);
  });

  it("one is elected: the others do nothing until it stops or its lease has run out", async () => {
    const eventType = newType();
    const log = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} };
    const archiver = (owner: string) =>
      new Archiver({
        database: test.database,
        owner,
        clock: systemClock,
        events: new EngineEvents(),
        log: log as never,
        pace: new ArchivePace({ rowsPerSecond: 0, brakes: [], clock: systemClock }),
      });
    const [first, second] = [archiver("first"), archiver("second")];
    await first.runOnce();
    await insertEnded(test, { eventType, count: 10 });
    expect(await second.runOnce()).toBeLessThanOrEqual(10_000);
    expect((await placesOf(test, "task", eventType)).live.size).toBe(10);

    // The lease of a dead holder: at most 15 s, and the next look is at most 10 s later.
    const [lease] = await pool<{ ms: number }>(
      "SELECT TIMESTAMPDIFF(MICROSECOND, TIMESTAMPADD(MINUTE, ?, UTC_TIMESTAMP(3)), expire_time) / 1000 AS ms FROM t_retry_lease WHERE name = 'archiver'",
      [test.zone.offsetMinutes],
    );
    expect(Number(lease?.ms)).toBeLessThanOrEqual(15_000);
    await pool("UPDATE t_retry_lease SET expire_time = '2020-01-01' WHERE name = 'archiver'");
    await second.runOnce();
    expect((await placesOf(test, "task", eventType)).live.size).toBe(0);
    await second.stop();
  });
});

it("says so when it has been at work for an hour and has not ended", async () => {
  const eventType = newType();
  const warned: string[] = [];
  let hours = 0;
  let stepHours = 0;
  const clock = { ...systemClock, monotonicMs: () => hours * 3_600_000 };
  const archiver = new Archiver({
    database: test.database,
    owner: "slow",
    clock,
    events: new EngineEvents(),
    log: { info() {}, error() {}, warn: (_: object, text: string) => warned.push(text) } as never,
    pace: new ArchivePace({ rowsPerSecond: 0, brakes: [], clock }),
    onStep: () => {
      hours += stepHours;
    },
  });
  await pool("UPDATE t_retry_lease SET expire_time = '2020-01-01' WHERE name = 'archiver'");
  await insertEnded(test, { eventType, count: 10 });
  await archiver.runOnce();
  expect(warned).toEqual([]);

  stepHours = 0.1;
  await insertEnded(test, { eventType, count: 2_000 });
  await archiver.runOnce();
  expect([...new Set(warned)]).toEqual([expect.stringContaining("REDRIVE_ARCHIVE_ROWS_PER_SECOND")]);
  await archiver.stop();
});

describe("what an open batch of the archiver locks", () => {
  interface Held {
    readonly eventType: string;
    readonly ids: readonly string[];
    readonly commit: () => Promise<void>;
    readonly locks: number;
  }

  /** A batch of 40 of 60 ended tasks, everything done but the commit. */
  async function holdBatch(): Promise<Held> {
    const eventType = newType();
    await insertEnded(test, { eventType, count: 60, attempts: 1 });
    await test.database.use(async (session) => {
      for (let n = 0; n < 20; n++) await insertTaskRow(session, { eventType, bizKey: `due-${n}`, dueInMs: -1_000 });
      for (let n = 0; n < 5; n++) await insertTaskRow(session, { eventType, bizKey: `run-${n}`, status: "running" });
      for (let n = 0; n < 5; n++) {
        await insertTaskRow(session, { eventType, bizKey: `fail-${n}`, status: "failed", finishedTime: new Date() });
      }
    });
    const columns = await test.database.use(readArchiveColumns);
    const { ripe } = await test.database.use((session) => listArchivable(session, laneOf(eventType)));
    const held = await holdOpen(test.database, (session) =>
      moveToArchive(session, laneOf(eventType), ripe.slice(0, 40), columns),
    );
    expect(held.result.tasks).toBe(40);
    const locks = await recordLocks(test, held.connectionId);
    return { eventType, ids: ripe.slice(0, 40).map(({ id }) => id), commit: () => held.commit(), locks };
  }

  it("is its own tasks and nothing else", async () => {
    const held = await holdBatch();
    const locked = await lockedTaskIds(test);
    await held.commit();
    expect(locked).toEqual([...held.ids].sort((one, other) => Number(one) - Number(other)));
    // Per task: the row and three index entries here, the history's, and the new ones in the archive.
    expect(held.locks).toBeLessThanOrEqual(40 * 14);
  });

  it("is nothing that a business insert, a claim or a reset waits for", async () => {
    const held = await holdBatch();
    const { eventType } = held;
    const business = await BusinessConnection.open(test);
    const outcomes: Record<string, LockOutcome> = {};
    for (const [what, row] of Object.entries({
      "due now": { bizKey: "new" },
      "due long ago": { bizKey: "new old", dueAt: new Date(Date.now() - 9 * 86_400_000 - 75_000) },
      "before its first key": { bizKey: "k-" },
      "between its keys": { bizKey: "k-1~" },
      "after its last key": { bizKey: "k-99~" },
      "same key, next type": { bizKey: "k-1", eventType: `${eventType}!` },
      "born running": { bizKey: "new run", status: 3 },
      "born succeeded beside its entries": {
        bizKey: "new done",
        status: 1,
        dueAt: new Date(Date.now() - 9 * 86_400_000 - 70_500),
      },
    })) {
      outcomes[what] = await business.insert({ eventType, dueAt: new Date(), ...row });
    }
    await business.close();
    const claimed = await test.database.transaction((session) =>
      claimDueTasks(session, { owner: "o", ip: "1" }, { eventType, limit: 200 }),
    );
    const failed = await pool<{ id: string | number }>(
      "SELECT id FROM t_retry_task WHERE event_type = ? AND status = 2 LIMIT 1",
      [eventType],
    );
    const reset = await test.database.transaction((session) =>
      resetTask(session, { id: String(failed[0]?.id), actor: "ada" }),
    );
    // A second archiver takes the rest and waits for nobody.
    const second = await archiveAll(test, { eventType });
    await held.commit();
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome !== "done")).toEqual([]);
    expect(claimed.length).toBeGreaterThanOrEqual(20);
    expect(reset).toMatchObject({ outcome: "done" });
    expect(second.tasks).toBe(20);
    expect(second.stuck).toEqual([]);
  });

  it("is not held up by a business transaction that has new rows open, whatever the statistics say", async () => {
    const eventType = newType();
    await insertEnded(test, { eventType, count: 40, attempts: 1 });
    const open = await holdOpen(test.database, async (session) => {
      for (let n = 0; n < 5; n++) {
        const id = await insertTaskRow(session, { eventType, bizKey: `k-1${n}~` });
        await insertAttempts(session, [{ taskId: id, eventType, kind: "retried", retryCount: 1, claimNo: 1 }]);
      }
    });
    const report = await archiveAll(test, { eventType });
    await open.commit();
    expect(report).toMatchObject({ tasks: 40, stuck: [] });
  });

  it("would be rows of others if it removed by IN list: both servers scan a table that is being emptied", async () => {
    const eventType = newType();
    await pool("CREATE TABLE emptied LIKE t_retry_task");
    await insertEnded(test, { eventType, count: 20, attempts: 0 });
    await pool("INSERT INTO emptied SELECT * FROM t_retry_task WHERE event_type = ?", [eventType]);
    const ids = (await pool<{ id: number }>("SELECT id FROM emptied ORDER BY id")).map(({ id }) => id);
    const [theirs, ours] = [ids.filter((_, n) => n % 3 < 2), ids.filter((_, n) => n % 3 === 2)];
    const held = await holdOpen(test.database, async (session) => {
      for (const id of theirs) await session.run(`DELETE FROM emptied WHERE id = ${id}`);
    });
    const business = await BusinessConnection.open(test);
    const byList = await business.attempt(
      `DELETE gone FROM emptied AS gone FORCE INDEX (PRIMARY) WHERE gone.id IN (${ours.join(",")})`,
    );
    const { text } = render(idRows(ours.map(String)));
    const byJoin = await business.attempt(
      `DELETE gone FROM ${text} AS list STRAIGHT_JOIN emptied AS gone FORCE INDEX (PRIMARY) ON gone.id = list.id`,
    );
    await held.commit();
    await business.close();
    await pool("DROP TABLE emptied");
    expect([byList, byJoin]).toEqual([1205, "done"]);
  });

  it("makes an enqueue of one of its own keys wait for the commit only, and never deadlocks with it", async () => {
    const eventType = newType();
    await insertEnded(test, { eventType, count: 30, attempts: 0 });
    const columns = await test.database.use(readArchiveColumns);
    const { ripe } = await test.database.use((session) => listArchivable(session, laneOf(eventType)));
    const key = { eventType, bizKey: ripe[3]?.bizKey ?? "" };

    // First the enqueue has seen its duplicate: the archiver leaves that task alone and moves the others.
    const duplicate = await holdOpen(test.database, (session) => findNewestTask(session, key));
    const first = await test.database.transaction((session) =>
      moveToArchive(session, laneOf(eventType), ripe, columns),
    );
    await duplicate.commit();
    expect(duplicate.result).toMatchObject({ id: ripe[3]?.id, status: "succeeded" });
    expect(first.tasks).toBe(29);

    // Then the archiver is first: the look for the duplicate waits for its commit, and finds the key free.
    const gate = new Gate();
    const locked = new Gate();
    const moving = test.database.transaction((session) =>
      moveToArchive(session, laneOf(eventType), ripe, columns, async (step) => {
        if (step !== "locked") return;
        locked.open();
        await gate.opened;
      }),
    );
    await locked.opened;
    const looking = test.database.transaction((session) => findNewestTask(session, key));
    await waitFor("the look to wait for the row", async () =>
      (await openTransactions(test)).some(({ waitsForLock }) => waitsForLock),
    );
    gate.open();
    expect((await moving).tasks).toBe(1);
    expect(await looking).toBeUndefined();
  });
});

describe("what is moved", () => {
  it("keeps each type's own retention, with a row on each side of every limit", async () => {
    const eventType = newType();
    await setType(test, eventType, { liveKeptSeconds: 3_600, failedKeptSeconds: 7_200 });
    const sides = [
      { status: 1, endedSecondsAgo: 3_605, prefix: "done-old" },
      { status: 1, endedSecondsAgo: 3_500, prefix: "done-new" },
      { status: 4, endedSecondsAgo: 3_605, prefix: "cancelled-old" },
      { status: 4, endedSecondsAgo: 3_500, prefix: "cancelled-new" },
      { status: 2, endedSecondsAgo: 7_205, prefix: "failed-old" },
      { status: 2, endedSecondsAgo: 7_100, prefix: "failed-new" },
      { status: 0, endedSecondsAgo: 90_000, prefix: "pending" },
      { status: 3, endedSecondsAgo: 90_000, prefix: "running" },
      { status: 9, endedSecondsAgo: 90_000, prefix: "unknown" },
      { status: -3, endedSecondsAgo: 90_000, prefix: "negative" },
    ];
    for (const side of sides) await insertEnded(test, { eventType, count: 2, attempts: 0, ...side });
    const report = await archiveAll(test, { eventType });
    const { live, archived } = await placesOf(test, "task", eventType);
    const prefixes = (rows: Iterable<{ readonly [column: string]: string | null }>) =>
      [...new Set([...rows].map((row) => String(row["biz_key"]).replace(/-\d$/, "")))].sort();
    expect(prefixes([...archived.values()].flat())).toEqual(["cancelled-old", "done-old", "failed-old"]);
    expect(prefixes(live.values())).toEqual([
      "cancelled-new",
      "done-new",
      "failed-new",
      "negative",
      "pending",
      "running",
      "unknown",
    ]);
    expect(report).toMatchObject({ tasks: 6, stuck: [], isComplete: true });
    expect(report.unknownStatuses).toEqual(new Map([[eventType, 4]]));
  });

  it("is all of it with retention 0, and none with forever", async () => {
    const [none, all] = [newType(), newType()];
    await setType(test, all, { liveKeptSeconds: 0, failedKeptSeconds: "forever" });
    await setType(test, none, { liveKeptSeconds: "forever", failedKeptSeconds: 0 });
    for (const eventType of [none, all]) {
      await insertEnded(test, { eventType, count: 3, endedSecondsAgo: 0, prefix: "done" });
      await insertEnded(test, { eventType, count: 3, endedSecondsAgo: 0, status: 2, prefix: "failed" });
    }
    expect((await archiveAll(test, { eventType: all })).tasks).toBe(3);
    expect((await archiveAll(test, { eventType: none })).tasks).toBe(3);
    const statuses = await pool(
      "SELECT event_type, MIN(status) AS low, MAX(status) AS high FROM t_retry_task_archive WHERE event_type IN (?) GROUP BY event_type",
      [[none, all]],
    );
    expect(statuses).toEqual(
      expect.arrayContaining([
        { event_type: all, low: 1, high: 1 },
        { event_type: none, low: 2, high: 2 },
      ]),
    );
  });

  it("is nothing of a type whose changed settings cannot be read", async () => {
    const eventType = newType();
    await setType(test, eventType, {});
    await pool("UPDATE t_retry_event_type SET override_settings = ? WHERE event_type = ?", [
      '{"liveKeptSeconds":-1}',
      eventType,
    ]);
    await insertEnded(test, { eventType, count: 3 });
    expect(await archiveAll(test, { eventType })).toMatchObject({ tasks: 0, unreadable: [eventType] });
    expect((await placesOf(test, "task", eventType)).live.size).toBe(3);
  });

  it("carries one instant per batch, the same for a task and its history", async () => {
    const eventType = newType();
    await insertEnded(test, { eventType, count: 150, attempts: 3 });
    await archiveAll(test, { eventType });
    const [times] = await pool<{ tasks: number; pairs: number }>(
      `SELECT (SELECT COUNT(DISTINCT archived_time) FROM t_retry_task_archive WHERE event_type = ?) AS tasks,
        (SELECT COUNT(*) FROM t_retry_attempt_archive a JOIN t_retry_task_archive t ON t.id = a.task_id AND t.archived_time = a.archived_time
          WHERE a.event_type = ?) AS pairs`,
      [eventType, eventType],
    );
    expect(times).toEqual({ tasks: 1, pairs: 150 });
  });

  it("leaves alone what was reset, taken or deleted between choice and lock", async () => {
    const eventType = newType();
    await insertEnded(test, { eventType, count: 5, status: 2, attempts: 0 });
    const columns = await test.database.use(readArchiveColumns);
    const { ripe } = await test.database.use((session) => listArchivable(session, laneOf(eventType, "failed")));
    const [reset, held, gone] = ripe.map(({ id }) => id);
    await test.database.transaction((session) => resetTask(session, { id: reset ?? "", actor: "ada" }));
    await pool("DELETE FROM t_retry_task WHERE id = ?", [gone]);
    const holder = await holdOpen(test.database, (session) => resetTask(session, { id: held ?? "", actor: "ada" }));
    const moved = await test.database.transaction((session) =>
      moveToArchive(session, laneOf(eventType, "failed"), ripe, columns),
    );
    await holder.commit();
    expect(moved.tasks).toBe(2);
    const { live } = await placesOf(test, "task", eventType);
    expect([...live.values()].map((row) => row["status"])).toEqual(["0", "0"]);
  });

  it("is looked for in pages of bounded length, also where nothing in them is ripe", async () => {
    const eventType = newType();
    // Due long ago, ended a moment ago: a backlog that was worked off today.
    await insertEnded(test, { eventType, count: 2_500, attempts: 0, prefix: "late" });
    await pool(
      "UPDATE t_retry_task SET finished_time = TIMESTAMPADD(MINUTE, ?, UTC_TIMESTAMP(3)) WHERE event_type = ?",
      [test.zone.offsetMinutes, eventType],
    );
    await insertEnded(test, { eventType, count: 10, attempts: 0, prefix: "ripe", endedSecondsAgo: 8 * 86_400 });
    const first = await test.database.use((session) => listArchivable(session, laneOf(eventType)));
    expect(first).toMatchObject({ ripe: [], next: expect.anything() });
    expect(await countRipe(test.database, laneOf(eventType))).toBe(10);
    expect(await archiveAll(test, { eventType })).toMatchObject({ tasks: 10 });
  });

  it("goes in smaller batches if payloads are large or histories long", async () => {
    const eventType = newType();
    await insertEnded(test, { eventType, count: 8, attempts: 0 });
    await pool("UPDATE t_retry_task SET biz_context = REPEAT('x', 5000000) WHERE event_type = ?", [eventType]);
    const sizes: number[] = [];
    let before = 0;
    const track = (tasks: number) => {
      sizes.push(tasks - before);
      before = tasks;
    };
    await archiveAll(test, { eventType, onProgress: ({ tasks }) => track(tasks) });
    expect(sizes).toEqual([3, 3, 2]);

    const long = newType();
    await insertEnded(test, { eventType: long, count: 9, attempts: 0 });
    const ids = await pool<{ id: string }>(
      "SELECT CAST(id AS CHAR) AS id FROM t_retry_task WHERE event_type = ? ORDER BY next_retry_time DESC, id",
      [long],
    );
    await test.database.transaction(async (session) => {
      for (const { id } of ids.slice(0, 3)) {
        const entry = { taskId: id, eventType: long, kind: "retried", retryCount: 1, claimNo: 1 } as const;
        for (let n = 0; n < 5; n++)
          await insertAttempts(
            session,
            Array.from({ length: 900 }, () => entry),
          );
      }
    });
    const report = await archiveAll(test, { eventType: long });
    expect(report).toMatchObject({ tasks: 9, attempts: 13_500, stuck: [] });
    expect((await placesOf(test, "attempt", long)).live.size).toBe(0);
  });

  it("includes the columns that a team added, and refuses to lose one that the archive lacks", async () => {
    const eventType = newType();
    await insertEnded(test, { eventType, count: 3, attempts: 0 });
    await pool("ALTER TABLE t_retry_task ADD COLUMN tenant_id varchar(20) NULL");
    try {
      await pool("UPDATE t_retry_task SET tenant_id = 'acme' WHERE event_type = ?", [eventType]);
      await expect(archiveAll(test, { eventType })).rejects.toThrow(
        /t_retry_task has columns that t_retry_task_archive lacks.*ALTER TABLE t_retry_task_archive ADD COLUMN `tenant_id` varchar\(20\)/,
      );
      await pool("ALTER TABLE t_retry_task_archive ADD COLUMN `tenant_id` varchar(20)");
      await archiveAll(test, { eventType });
      expect(
        await pool("SELECT DISTINCT tenant_id FROM t_retry_task_archive WHERE event_type = ?", [eventType]),
      ).toEqual([{ tenant_id: "acme" }]);
    } finally {
      await pool("ALTER TABLE t_retry_task DROP COLUMN tenant_id");
      await pool("ALTER TABLE t_retry_task_archive DROP COLUMN tenant_id");
    }
  });
});

describe("entries written for a task that is archived already", () => {
  it("find their home in the archive, beside those that moved with it", async () => {
    const eventType = newType();
    await insertEnded(test, { eventType, count: 3, attempts: 1 });
    await archiveAll(test, { eventType });
    const [task] = [...(await placesOf(test, "task", eventType)).archived.keys()].filter((id) => Number(id) % 3 === 0);
    const id = task ?? "";
    const stale = { taskId: id, eventType, kind: "stale", retryCount: 0, claimNo: 1, detail: "late" } as const;
    const liveId = await test.database.use(async (session) => {
      const old = session.at(new Date(Date.now() - 2 * 3_600_000));
      const live = await insertTaskRow(session, { eventType });
      await insertAttempts(old, [stale, { ...stale, taskId: live }]);
      await insertAttempts(session, [{ ...stale, detail: "later still" }]);
      return live;
    });
    const shown = async () => {
      const archived = await test.database.use((session) => showArchivedTask(session, id));
      if (!archived) throw new Error(`task ${id} is not archived`);
      return (await test.database.use((session) => listArchivedAttempts(session, archived))).map(({ kind, detail }) => [
        kind,
        detail,
      ]);
    };
    const all = [
      ["stale", "later still"],
      ["stale", "late"],
      ["retried", "detail"],
    ];
    expect(await shown()).toEqual(all);
    await archiveAll(test, { eventType });
    const { live, archived } = await placesOf(test, "attempt", eventType);
    // The one of the live task stays, and the one that is not an hour old.
    expect([...live.values()].map((row) => [row["task_id"], row["detail"]])).toEqual([
      [liveId, "late"],
      [id, "later still"],
    ]);
    expect([...archived.values()].flat().filter((row) => row["kind"] === "stale")).toHaveLength(1);
    expect(await shown()).toEqual(all);
  });
});

describe("an id that the server hands out a second time", () => {
  it("collides with nothing, and each task keeps its own history", async () => {
    const eventType = newType();
    const [id, old] = ["4611686018427380001", new Date(Date.now() - 9 * 86_400_000)];
    for (const round of ["one", "two"]) {
      await test.database.use(async (session) => {
        await insertTaskRow(session, {
          id,
          eventType,
          bizKey: "again",
          status: "succeeded",
          nextRetryTime: old,
          finishedTime: old,
          lastError: round,
        });
        await insertAttempts(session, [
          { taskId: id, eventType, kind: "retried", retryCount: 1, claimNo: 1, detail: round },
        ]);
      });
      expect((await archiveAll(test, { eventType })).tasks).toBe(1);
    }
    const rows = (await placesOf(test, "task", eventType)).archived.get(id) ?? [];
    expect(rows.map((row) => row["last_error"]).sort()).toEqual(["one", "two"]);
    const times = await pool<{ at: string }>(
      "SELECT CAST(archived_time AS CHAR) AS at FROM t_retry_task_archive WHERE id = ? ORDER BY archived_time",
      [id],
    );
    for (const [index, { at }] of times.entries()) {
      const archivedAt = test.zone.parseInstant(at);
      const [task, history] = await test.database.use(async (session) => [
        await showArchivedTask(session, id, archivedAt),
        await listArchivedAttempts(session, { id, archivedAt }),
      ]);
      expect([task?.lastError, ...history.map(({ detail }) => detail)]).toEqual(Array(2).fill(["one", "two"][index]));
    }
    expect((await test.database.use((session) => showArchivedTask(session, id)))?.lastError).toBe("two");
  });
});

describe("an archiver that goes on where others stop", () => {
  it("ends after the batch under way when it is told to, and keeps what is done", async () => {
    const eventType = newType();
    await insertEnded(test, { eventType, count: 1_000, attempts: 0 });
    const created = (await placesOf(test, "task", eventType)).live;
    const stop = new AbortController();
    const report = await archiveAll(test, { eventType, signal: stop.signal, onProgress: () => stop.abort() });
    expect(report).toMatchObject({ tasks: 200, isComplete: false });
    const { live, archived } = await placesOf(test, "task", eventType);
    expect([live.size, archived.size]).toEqual([800, 200]);
    expect(faultsOf(created, { live, archived })).toEqual([]);
  });

  it("survives the loss of its connection at each step", async () => {
    const eventType = newType();
    await insertEnded(test, { eventType, count: 400 });
    const created = (await placesOf(test, "task", eventType)).live;
    const steps: ArchiveStep[] = ["locked", "tasks_copied", "attempts_copied", "attempts_removed", "tasks_removed"];
    for (const cutAt of steps) {
      const cut = archiveAll(test, {
        eventType,
        onStep: async (step) => {
          if (step !== cutAt) return;
          const open = await waitFor("its transaction to be seen", async () => {
            const transactions = await openTransactions(test);
            return transactions.length > 0 && transactions;
          });
          for (const { connectionId } of open) await test.pool.query(`KILL ${connectionId}`);
        },
      });
      await expect(cut).rejects.toThrow();
      expect(faultsOf(created, await placesOf(test, "task", eventType))).toEqual([]);
    }
    await waitFor("the rest to be moved", async () => {
      await archiveAll(test, { eventType });
      return (await placesOf(test, "task", eventType)).live.size === 0;
    });
    expect(faultsOf(created, await placesOf(test, "task", eventType))).toEqual([]);
    expect(await strangers()).toBe(0);
  });
});

describe("a task whose id no double can hold", () => {
  it("is moved with every digit", async () => {
    const eventType = newType();
    const old = new Date(Date.now() - 9 * 86_400_000);
    const ids = ["9007199254740992", "9007199254740993", "9007199254740994"];
    await test.database.use(async (session) => {
      for (const id of ids)
        await insertTaskRow(session, { id, eventType, status: "succeeded", nextRetryTime: old, finishedTime: old });
    });
    await archiveAll(test, { eventType });
    expect([...(await placesOf(test, "task", eventType)).archived.keys()].sort()).toEqual(ids);
    expect(await test.database.use((session) => readTaskRow(session, ids[1] ?? ""))).toBeUndefined();
  });
});
