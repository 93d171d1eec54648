import { rmSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureArchivePartitions, listArchivePartitions } from "../../db/archive-partitions.ts";
import { eventTypeOverridesSchema } from "../../db/event-type-settings.ts";
import { registerEventType } from "../../db/queries/event-types.ts";
import { insertTaskRow } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { insertArchivedAttempt, insertArchivedTask } from "../testing/archive-rows.ts";
import { duckTasks, queryDuck } from "../testing/duckdb.ts";
import { exportAll, purgeAll, ScratchFolder } from "../testing/history-run.ts";

const DAY_MS = 86_400_000;

let test: TestDatabase;
let folder: ScratchFolder;
let today: number;
beforeEach(async () => {
  test = await createTestDatabase();
  folder = new ScratchFolder();
  today = await test.database.use(async (session) => {
    const [row] = await session.rows<{ now: string }>(sql`SELECT ${session.now} AS now`);
    return Math.floor(session.zone.parseInstant(row?.now ?? "").getTime() / DAY_MS) * DAY_MS;
  });
});
afterEach(async () => {
  folder.remove();
  await test.drop();
});

const dayText = (daysAgo: number) => new Date(today - daysAgo * DAY_MS).toISOString().slice(0, 10);
const keep = (eventType: string, settings: object) =>
  test.database.use((session) => registerEventType(session, eventType, JSON.stringify(settings)));
const archiveTask = (daysAgo: number, task: Omit<Parameters<typeof insertArchivedTask>[1], "archivedAt">) =>
  test.database.use((session) =>
    insertArchivedTask(session, { ...task, archivedAt: new Date(today - daysAgo * DAY_MS + 3_600_000) }),
  );
const archiveAttempt = (daysAgo: number, attempt: Omit<Parameters<typeof insertArchivedAttempt>[1], "archivedAt">) =>
  test.database.use((session) =>
    insertArchivedAttempt(session, { ...attempt, archivedAt: new Date(today - daysAgo * DAY_MS + 3_600_000) }),
  );
const makePartitions = (daysAgo: number) =>
  test.database.use((session) =>
    ensureArchivePartitions(session, new Date(today - daysAgo * DAY_MS + 7_200_000), daysAgo + 3),
  );
const idsIn = async (table: string) =>
  (
    await test.database.use((session) =>
      session.rows<{ id: string }>(
        sql`SELECT CAST(id AS CHAR) AS id FROM ${sql.raw(table)} ORDER BY ${sql.raw(table)}.id`,
      ),
    )
  ).map(({ id }) => id);
const tasks = () => idsIn("t_retry_task_archive");
const attempts = () => idsIn("t_retry_attempt_archive");
const free = { requiresExport: false };

describe("retention", () => {
  it.each([
    [0, true],
    [86_399, true],
    [86_400, true],
    [86_400 * 2, false],
    ["forever", false],
  ] as const)(
    "of %j, a day after the end of the day it is counted from: gone is %j",
    async (archiveKeptSeconds, isGone) => {
      await keep("PAY", { archiveKeptSeconds });
      await makePartitions(3);
      await archiveTask(0, { id: "10", eventType: "PAY" });
      await archiveTask(2, { id: "11", eventType: "PAY" });
      await purgeAll(test, undefined, { ...free, settleMs: 0 });
      expect(await tasks()).toEqual(isGone ? ["10"] : ["10", "11"]);
    },
  );

  it.each(["", -1, 1.5, null, "0", "never", "FOREVER", "7d", true])(
    "takes no %j: it is refused when it is set",
    (archiveKeptSeconds) => {
      expect(eventTypeOverridesSchema.safeParse({ archiveKeptSeconds }).success).toBe(false);
    },
  );

  it("that cannot be read, or was never set, keeps everything", async () => {
    await keep("BROKEN", { archiveKeptSeconds: -1 });
    await makePartitions(40);
    await archiveTask(39, { id: "1", eventType: "BROKEN" });
    await archiveTask(38, { id: "2", eventType: "UNKNOWN" });
    expect(await purgeAll(test, undefined, free)).toMatchObject({ rows: 0 });
    expect(await tasks()).toEqual(["1", "2"]);
  });

  it("is counted from the end of the UTC day, whatever the zone of the tables", async () => {
    await keep("PAY", { archiveKeptSeconds: 0 });
    await makePartitions(2);
    const at = (ms: number) => ({ eventType: "PAY", archivedAt: new Date(ms) });
    await test.database.use((session) => insertArchivedTask(session, { id: "1", ...at(today - 1) }));
    await test.database.use((session) => insertArchivedTask(session, { id: "2", ...at(today) }));
    await purgeAll(test, undefined, { ...free, settleMs: 0 });
    expect(await tasks()).toEqual(["2"]);
  });
});

describe("a day", () => {
  it("of which nothing is kept goes as a partition of both tables, and no other does", async () => {
    await keep("PAY", { archiveKeptSeconds: 86_400 });
    await makePartitions(5);
    for (const daysAgo of [4, 3, 1, 0]) {
      await archiveTask(daysAgo, { id: `${daysAgo}1`, eventType: "PAY" });
      await archiveAttempt(daysAgo, { id: `${daysAgo}5`, taskId: `${daysAgo}1`, eventType: "PAY" });
    }
    const report = await purgeAll(test, undefined, free);
    expect(report.outcomes.filter(({ what }) => what === "dropped").map(({ day, rows }) => [day, rows])).toEqual([
      [dayText(4), 2],
      [dayText(3), 2],
    ]);
    expect(await tasks()).toEqual(["1", "11"].sort((one, other) => Number(one) - Number(other)));
    for (const table of ["t_retry_task_archive", "t_retry_attempt_archive"] as const) {
      const days = await test.database.use((session) => listArchivePartitions(session, table));
      expect(days.map(({ day }) => day)).not.toContain(dayText(4));
      expect(days.map(({ day }) => day)).toContain(dayText(0));
    }
  });

  it("with types of different retention loses exactly those rows that are past theirs, history included", async () => {
    await keep("SHORT", { archiveKeptSeconds: 0 });
    await keep("FAILED_LONGER", { archiveKeptSeconds: 0, archiveFailedKeptSeconds: "forever" });
    await makePartitions(3);
    for (let n = 10; n < 18; n++) await archiveTask(2, { id: String(n), eventType: "SHORT" });
    await archiveTask(2, { id: "20", eventType: "FAILED_LONGER", status: "failed" });
    await archiveTask(2, { id: "21", eventType: "FAILED_LONGER" });
    await archiveTask(2, { id: "22", eventType: "FAILED_LONGER", status: "cancelled" });
    await archiveTask(2, { id: "30", eventType: "KEPT" });
    for (const id of ["10", "17", "20", "21", "30"]) await archiveAttempt(2, { id: `${id}0`, taskId: id });
    const dry = await purgeAll(test, undefined, { ...free, isDryRun: true });
    expect(dry.outcomes).toMatchObject([
      {
        what: "deleted",
        rows: 10,
        lanes: [
          { eventType: "FAILED_LONGER", which: "ended", tasks: 2 },
          { eventType: "SHORT", which: "all", tasks: 8 },
        ],
      },
    ]);
    expect(await tasks()).toHaveLength(12);
    await purgeAll(test, undefined, free);
    expect(await tasks()).toEqual(["20", "30"]);
    expect(await attempts()).toEqual(["200", "300"]);
    expect(await purgeAll(test, undefined, free)).toMatchObject({ rows: 0 });
  });

  it("keeps late history of a type that is kept, though all its tasks may go", async () => {
    await keep("SHORT", { archiveKeptSeconds: 0 });
    await makePartitions(3);
    await archiveTask(2, { id: "1", eventType: "SHORT" });
    await archiveAttempt(2, { id: "9", taskId: "77", eventType: "KEPT" });
    await archiveAttempt(2, { id: "8", taskId: "1", eventType: "SHORT" });
    await purgeAll(test, undefined, free);
    expect(await tasks()).toEqual([]);
    expect(await attempts()).toEqual(["9"]);
  });

  it("without a partition of its own is purged row by row", async () => {
    await keep("SHORT", { archiveKeptSeconds: 0 });
    await archiveTask(5, { id: "1", eventType: "SHORT" });
    await archiveTask(4, { id: "2", eventType: "KEPT" });
    await archiveTask(0, { id: "3", eventType: "SHORT" });
    await purgeAll(test, undefined, free);
    expect(await tasks()).toEqual(["2", "3"]);
  });

  it("goes while tasks of the same types live, which stay", async () => {
    await keep("SHORT", { archiveKeptSeconds: 0 });
    await makePartitions(3);
    await archiveTask(2, { id: "1", eventType: "SHORT" });
    const live = await test.database.use((session) =>
      insertTaskRow(session, { eventType: "SHORT", status: "succeeded" }),
    );
    await purgeAll(test, undefined, free);
    expect(await tasks()).toEqual([]);
    expect(await idsIn("t_retry_task")).toEqual([live]);
  });
});

describe("purging that requires an export", () => {
  beforeEach(async () => {
    await keep("PAY", { archiveKeptSeconds: 0 });
    await makePartitions(3);
    await archiveTask(2, { id: "1", eventType: "PAY" });
    await archiveAttempt(2, { id: "5", taskId: "1", eventType: "PAY" });
  });
  const keptBecause = async (reason: RegExp) => {
    const { outcomes, rows } = await purgeAll(test, folder.target);
    expect(rows).toBe(0);
    expect(outcomes).toMatchObject([{ day: dayText(2), what: "kept", reason: expect.stringMatching(reason) }]);
    expect(await tasks()).toEqual(["1"]);
  };

  it("keeps a day that was not exported, or to nowhere", async () => {
    await keptBecause(/not exported/);
    expect((await purgeAll(test, undefined)).outcomes).toMatchObject([
      { reason: expect.stringMatching(/no export target/) },
    ]);
  });

  it("removes a day whose export was verified, and the export then holds it", async () => {
    await exportAll(test, folder.target);
    expect(await purgeAll(test, folder.target)).toMatchObject({ rows: 2, outcomes: [{ what: "dropped" }] });
    expect(await tasks()).toEqual([]);
    expect(await queryDuck(`SELECT id::VARCHAR AS id FROM ${duckTasks(folder.path)}`)).toEqual([{ id: "1" }]);
  });

  it("keeps a day whose export was written and not verified yet", async () => {
    await exportAll(test, folder.target, {
      onStep: (step) => {
        if (step === "recorded") throw new Error("the process ends here");
      },
    });
    await keptBecause(/tasks: the export to .* is not verified/);
  });

  it.each(["_manifest-DAY.json", "event_type=PAY"])("keeps a day whose %s is gone from the target", async (name) => {
    await exportAll(test, folder.target);
    rmSync(join(folder.path, `tasks/dt=${dayText(2)}`, name.replace("DAY", dayText(2))), { recursive: true });
    await keptBecause(/gone|missing/);
  });

  it("keeps a day that changed after its export until it is exported again", async () => {
    await exportAll(test, folder.target);
    await archiveTask(2, { id: "2", eventType: "KEPT" });
    const { outcomes } = await purgeAll(test, folder.target);
    expect(outcomes).toMatchObject([{ what: "kept", reason: expect.stringMatching(/changed since the export/) }]);
    await exportAll(test, folder.target);
    expect(await purgeAll(test, folder.target)).toMatchObject({ outcomes: [{ what: "deleted", rows: 2 }] });
    expect(await tasks()).toEqual(["2"]);
  });

  it("keeps only that day of a partition of several whose export is missing", async () => {
    await archiveTask(9, { id: "7", eventType: "PAY" });
    await archiveTask(8, { id: "8", eventType: "PAY" });
    await exportAll(test, folder.target);
    rmSync(join(folder.path, `tasks/dt=${dayText(9)}`), { recursive: true });
    const { outcomes } = await purgeAll(test, folder.target);
    expect(outcomes).toMatchObject([
      { day: dayText(9), what: "kept", reason: expect.stringMatching(/manifest is gone/) },
      { day: dayText(8), what: "deleted", rows: 1 },
      { day: dayText(2), what: "dropped", rows: 2 },
    ]);
    expect(await tasks()).toEqual(["7"]);
  });

  it("never exports a day again that has lost rows, and goes on purging it", async () => {
    await archiveTask(2, { id: "2", eventType: "KEPT" });
    await exportAll(test, folder.target);
    await purgeAll(test, folder.target);
    expect(await tasks()).toEqual(["2"]);
    const { outcomes } = await exportAll(test, folder.target, { again: true, verifyAll: true });
    expect(outcomes.map(({ what }) => what)).toEqual(["verified", "verified"]);
    expect(await queryDuck(`SELECT COUNT(*)::INTEGER AS n FROM ${duckTasks(folder.path)}`)).toEqual([{ n: 2 }]);
    await keep("KEPT", { archiveKeptSeconds: 0 });
    expect(await purgeAll(test, folder.target)).toMatchObject({ outcomes: [{ what: "dropped", rows: 1 }] });
  });
});
