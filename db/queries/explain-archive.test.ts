import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ArchiveColumns, readArchiveColumns } from "../archive-columns.ts";
import type { Session } from "../session.ts";
import { explainStatements, isBuiltForStatement, keysOf, planFaults } from "../testing/explain.ts";
import { fillArchive } from "../testing/filled-archive.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { readNewestBeat, readServerKind } from "./archive-brakes.ts";
import {
  type ArchiveCandidate,
  type ArchiveLane,
  copyAttempts,
  copyTasks,
  countUnknownStatuses,
  listArchivable,
  listAttemptIds,
  listLateAttempts,
  lockArchivable,
  removeAttempts,
  removeTasks,
} from "./archive-tasks.ts";
import { browseArchive, countArchive, listArchivedTypes } from "./browse-archive.ts";
import { addArchivedCount, countArchivedByDay, readPurgedDays } from "./count-archived.ts";
import { findTaskPlaces } from "./find-task-places.ts";
import { findArchivedKeys, listArchiveByBizKey, listArchiveById } from "./list-archive.ts";
import { replayTask } from "./replay-task.ts";
import { listArchivedAttempts, showArchivedTask } from "./show-archived-task.ts";

const DAY_MS = 86_400_000;
const DAYS = 40;
const NOW = Date.now();
const LANE: ArchiveLane = { eventType: "T0", status: "succeeded", endedForMs: 7 * DAY_MS };

interface Sample {
  readonly ripe: readonly ArchiveCandidate[];
  readonly ids: readonly string[];
  readonly attemptIds: readonly string[];
  readonly columns: ArchiveColumns;
  readonly archivedId: string;
  readonly archivedAt: Date;
  readonly archivedKey: string;
}

interface Case {
  /** The exported function, by name; `how` tells apart several cases of one. */
  readonly covers: string;
  readonly how?: string;
  readonly run: (session: Session, sample: Sample) => Promise<unknown>;
  /** Per statement that reads rows, in order: the indexes it goes through. */
  readonly uses: readonly string[];
  /** Days of the archive that may be looked at. Left out: any. */
  readonly daysMax?: number;
  /** The rows of one biz key, a handful, are brought into their order: one server does not read a key backwards over partitions. */
  readonly sortsOneKey?: true;
}

const TO = new Date(NOW - 10 * DAY_MS);
const FROM = new Date(NOW - 13 * DAY_MS);
const OF_T0 = { eventTypes: ["T0"] };
const cursorAt = (session: Session, direction: "older" | "newer") => ({
  direction,
  archivedTime: session.zone.format(new Date(NOW - 11 * DAY_MS)),
  id: "100",
});

const CASES: readonly Case[] = [
  { covers: "listArchivable", run: (session) => listArchivable(session, LANE), uses: ["idx_claim"] },
  {
    covers: "listArchivable",
    how: "page after a cursor",
    run: (session) => {
      const after = { dueTime: session.zone.format(new Date(NOW - 20 * DAY_MS)), id: "100" };
      return listArchivable(session, LANE, after);
    },
    uses: ["idx_claim"],
  },
  { covers: "lockArchivable", run: (session, { ripe }) => lockArchivable(session, LANE, ripe), uses: ["uk_event_biz"] },
  { covers: "copyTasks", run: (session, { ids, columns }) => copyTasks(session, ids, columns), uses: [] },
  {
    covers: "copyAttempts",
    run: (session, { attemptIds, columns }) => copyAttempts(session, attemptIds, columns),
    uses: [],
  },
  { covers: "listAttemptIds", run: (session, { ids }) => listAttemptIds(session, ids, 2_001), uses: ["idx_task"] },
  {
    covers: "removeAttempts",
    run: (session, { attemptIds }) => removeAttempts(session, attemptIds),
    uses: ["PRIMARY"],
  },
  { covers: "removeTasks", run: (session, { ids }) => removeTasks(session, ids), uses: ["PRIMARY"] },
  {
    covers: "listLateAttempts",
    run: (session) => listLateAttempts(session, { settledMs: 3_600_000 }),
    uses: ["idx_kind_time + PRIMARY"],
  },
  {
    covers: "listLateAttempts",
    how: "page after a cursor",
    run: (session) => {
      const after = { kind: "stale", createTime: session.zone.format(new Date(NOW - 20 * DAY_MS)), id: "100" } as const;
      return listLateAttempts(session, { settledMs: 3_600_000, after });
    },
    uses: ["idx_kind_time + PRIMARY"],
  },
  {
    covers: "countUnknownStatuses",
    run: (session) => countUnknownStatuses(session, "T0"),
    uses: ["idx_claim + idx_claim"],
  },
  {
    covers: "browseArchive",
    how: "of one type",
    run: (session) => browseArchive(session, { filter: { eventTypes: ["T0"] }, limit: 50 }),
    uses: ["idx_type_time", "PRIMARY"],
  },
  {
    covers: "browseArchive",
    how: "of all types within three days",
    run: (session) => browseArchive(session, { filter: { from: FROM, to: TO }, limit: 50 }),
    uses: [
      ...Array.from({ length: 6 }, () => "idx_type_time"),
      Array.from({ length: 5 }, () => "idx_type_time").join(" + "),
      "PRIMARY",
    ],
    daysMax: 4,
  },
  {
    covers: "browseArchive",
    how: "of one type within three days, after a cursor",
    run: (session) =>
      browseArchive(session, {
        filter: { ...OF_T0, from: FROM, to: TO },
        limit: 50,
        cursor: cursorAt(session, "older"),
      }),
    uses: ["idx_type_time", "PRIMARY"],
    daysMax: 4,
  },
  {
    covers: "browseArchive",
    how: "of one type within three days, before a cursor",
    run: (session) =>
      browseArchive(session, {
        filter: { ...OF_T0, from: FROM, to: TO },
        limit: 50,
        cursor: cursorAt(session, "newer"),
      }),
    uses: ["idx_type_time", "PRIMARY"],
    daysMax: 4,
  },
  {
    covers: "browseArchive",
    how: "of one type and status",
    run: (session) => browseArchive(session, { filter: { ...OF_T0, status: "failed", from: FROM, to: TO }, limit: 50 }),
    uses: ["idx_type_time", "PRIMARY"],
    daysMax: 4,
  },
  {
    covers: "browseArchive",
    how: "of one cause",
    run: (session) => browseArchive(session, { filter: { errorFingerprint: "f1", from: FROM }, limit: 50 }),
    uses: ["idx_cause", "PRIMARY"],
    daysMax: 15,
  },
  {
    covers: "browseArchive",
    how: "of one key",
    run: (session, { archivedKey }) => browseArchive(session, { filter: { bizKey: archivedKey }, limit: 50 }),
    uses: ["idx_biz", "PRIMARY"],
  },
  {
    covers: "browseArchive",
    how: "of one id",
    run: (session, { archivedId }) => browseArchive(session, { filter: { id: archivedId }, limit: 50 }),
    uses: ["PRIMARY", "PRIMARY"],
  },
  {
    covers: "listArchivedTypes",
    run: (session) => listArchivedTypes(session, { from: FROM, to: TO }),
    uses: Array.from({ length: 6 }, () => "idx_type_time"),
    daysMax: 4,
  },
  {
    covers: "findTaskPlaces",
    run: (session, { archivedId, ids }) => findTaskPlaces(session, [archivedId, ...ids.slice(0, 20)]),
    uses: ["PRIMARY", "PRIMARY"],
  },
  {
    covers: "addArchivedCount",
    run: async (session) => {
      const added = { eventType: "T0", source: "archive", count: 1 };
      await addArchivedCount(session, added);
      await addArchivedCount(session, added);
    },
    uses: ["PRIMARY", "PRIMARY"],
  },
  {
    covers: "listArchiveByBizKey",
    run: (session, { archivedKey }) => listArchiveByBizKey(session, archivedKey),
    uses: ["idx_biz"],
    sortsOneKey: true,
  },
  {
    covers: "listArchiveByBizKey",
    how: "of one type",
    run: (session, { archivedKey }) => listArchiveByBizKey(session, archivedKey, "T0"),
    uses: ["idx_biz"],
    sortsOneKey: true,
  },
  {
    covers: "listArchiveById",
    run: (session, { archivedId }) => listArchiveById(session, archivedId),
    uses: ["PRIMARY"],
  },
  {
    covers: "countArchive",
    run: (session) => countArchive(session, { ...OF_T0, from: FROM, to: TO, status: "failed" }),
    uses: ["idx_type_time"],
    daysMax: 4,
  },
  {
    covers: "findArchivedKeys",
    how: "of one key, in the days of its window only",
    run: (session, { archivedKey }) =>
      findArchivedKeys(session, [{ eventType: "T0", bizKey: archivedKey }], 3 * DAY_MS),
    uses: ["idx_biz"],
    daysMax: 8,
  },
  {
    covers: "findArchivedKeys",
    how: "of many keys",
    run: (session) =>
      findArchivedKeys(
        session,
        Array.from({ length: 200 }, (_, n) => ({ eventType: "T0", bizKey: `key-${n}` })),
        3 * DAY_MS,
      ),
    uses: ["idx_biz"],
    daysMax: 8,
  },
  {
    covers: "showArchivedTask",
    how: "the newest of its id",
    run: (session, { archivedId }) => showArchivedTask(session, archivedId),
    uses: ["PRIMARY"],
  },
  {
    covers: "showArchivedTask",
    how: "one of its id",
    run: (session, { archivedId, archivedAt }) => showArchivedTask(session, archivedId, archivedAt),
    uses: ["PRIMARY"],
    daysMax: 1,
  },
  {
    covers: "listArchivedAttempts",
    run: (session, { archivedId: id, archivedAt }) => listArchivedAttempts(session, { id, archivedAt }),
    uses: ["PRIMARY + PRIMARY", "idx_task", "idx_task"],
  },
  {
    covers: "replayTask",
    run: (session, { archivedId }) => replayTask(session, { id: archivedId, actor: "ada" }),
    uses: ["PRIMARY", "uk_event_biz"],
  },
];

/** Both read one small table whole, or none. */
const WHOLE: readonly Omit<Case, "uses">[] = [
  { covers: "readServerKind", run: (session) => readServerKind(session) },
  { covers: "readNewestBeat", run: (session) => readNewestBeat(session) },
  { covers: "readPurgedDays", run: (session) => readPurgedDays(session) },
];

const SHAPES = [
  { name: "20,000 ended rows of 5 types, 40,000 archived in 40 days", live: 20_000, archived: 40_000 },
  // Where the optimizer is most tempted to scan: the batch is nearly all there is.
  { name: "a live table that is nearly empty", live: 500, archived: 4_000 },
] as const;

describe.each(SHAPES)("with $name", (shape) => {
  let test: TestDatabase;
  let sample: Sample;
  beforeAll(async () => {
    test = await createTestDatabase();
    await fillArchive(test, { ...shape, days: DAYS, now: NOW });
    sample = await readSample(test);
  });
  afterAll(() => test.drop());

  it.each(CASES.map((one) => [[one.covers, one.how].filter(Boolean).join(", "), one] as const))(
    "%s reads only along its index",
    async (_, one) => {
      const explained = await explainStatements(test, (session) => one.run(session, sample));
      for (const { text, steps } of explained) {
        // Rows built for the statement are named after their alias by one server.
        const stored = steps.filter((step) => !(step.table === "list" || step.table === ""));
        const faults = planFaults(stored).filter((fault) => !(one.sortsOneKey && /sorts the rows itself/.test(fault)));
        expect({ text, faults }).toEqual({ text, faults: [] });
        const sorted = stored.filter((step) => isBuiltForStatement(step) && /filesort/i.test(step.extra));
        expect({ text, sorted }).toEqual({ text, sorted: [] });
      }
      const keys = explained.map(({ steps }) =>
        keysOf(steps.filter(({ table, key }) => table !== "" && (table !== "list" || key !== ""))),
      );
      // A unique key that is not there is known before the plan is made, which then reads nothing.
      expect(keys.map((key, index) => (key === "" ? one.uses[index] : key))).toEqual(one.uses);
    },
  );

  it.each(
    CASES.filter(({ daysMax }) => daysMax !== undefined).map(
      (one) => [[one.covers, one.how].filter(Boolean).join(", "), one] as const,
    ),
  )("%s looks at the days in question only", async (_, one) => {
    const explained = await explainStatements(test, (session) => one.run(session, sample));
    const most = await Promise.all(explained.slice(0, 1).map(({ values, text }) => daysRead(test, text, values)));
    for (const days of most) expect(days).toBeLessThanOrEqual(one.daysMax ?? 0);
  });

  it("looks up each row of a batch by its key, even if the batch is all there is", async () => {
    const explained = await explainStatements(test, async (session) => {
      const all = await listArchivable(session, { ...LANE, endedForMs: 0 });
      await lockArchivable(session, LANE, all.ripe.slice(0, 200));
      await removeTasks(
        session,
        all.ripe.slice(0, 200).map(({ id }) => id),
      );
    });
    const types = explained.slice(1).map(({ steps }) => steps.filter(({ key }) => key !== "").map(({ type }) => type));
    expect(types).toEqual([["eq_ref"], ["eq_ref"]]);
  });
});

it.each(WHOLE.map((one) => [one.covers, one] as const))("%s reads one small table", async (_, one) => {
  const test = await createTestDatabase();
  try {
    const explained = await explainStatements(test, (session) => one.run(session, {} as Sample));
    expect(
      explained
        .flatMap(({ steps }) => steps.map(({ table }) => table))
        .filter((table) => table !== "t_retry_worker" && table !== "t_retry_export" && table !== ""),
    ).toEqual([]);
  } finally {
    await test.drop();
  }
});

/** Grouped by day, which no index is: bounded by the days that are asked for. */
const BY_DAY = { covers: "countArchivedByDay", run: (session: Session) => countArchivedByDay(session, 7) } as const;

it(`${BY_DAY.covers} reads a range of the metrics`, async () => {
  const test = await createTestDatabase();
  try {
    const added = { eventType: "T0", source: "archive", count: 1 };
    await test.database.use((session) => addArchivedCount(session, added));
    const explained = await explainStatements(test, BY_DAY.run);
    expect(explained.map(({ steps }) => steps.map(({ type, key }) => `${type} ${key}`))).toEqual([["range PRIMARY"]]);
  } finally {
    await test.drop();
  }
});

/** How many partitions the server says it reads for a statement. */
async function daysRead(test: TestDatabase, text: string, values: readonly unknown[]): Promise<number> {
  const explain = test.kind === "mysql" ? "EXPLAIN FORMAT=TRADITIONAL" : "EXPLAIN PARTITIONS";
  const [rows] = await test.pool.query(`${explain} ${text}`, [...values]);
  const lists = (rows as { partitions: string | null }[])
    .map(({ partitions }) => partitions)
    .filter((list) => list !== null);
  return Math.max(0, ...lists.map((list) => list.split(",").length));
}

async function readSample(test: TestDatabase): Promise<Sample> {
  return test.database.use(async (session) => {
    const { ripe } = await listArchivable(session, LANE);
    const batch = ripe.slice(0, 200);
    const ids = batch.map(({ id }) => id);
    const page = await browseArchive(session, { filter: OF_T0, limit: 50 });
    const archived = page.items[20];
    if (!archived) throw new Error("the filled archive lacks the row that the cases need");
    return {
      ripe: batch,
      ids,
      attemptIds: await listAttemptIds(session, ids, 2_000),
      columns: await readArchiveColumns(session),
      archivedId: archived.id,
      archivedAt: archived.archivedAt,
      archivedKey: archived.bizKey,
    };
  });
}
