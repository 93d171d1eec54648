import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { explainStatements, keysOf, planFaults, type PlanStep } from "../testing/explain.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import {
  hasPurgeBegun,
  listExports,
  markPurgeBegan,
  markPurged,
  markUnverified,
  markVerified,
  recordExport,
} from "./exports.ts";
import { countLane, purgeBatch, type PurgeLane } from "./purge-archive.ts";
import {
  ARCHIVE_SOURCES,
  type ArchiveCursor,
  digestDay,
  listDayAttemptTypes,
  listDayTypes,
  listForeignColumns,
  listPartitionDays,
  readArchivePage,
} from "./read-archive.ts";
import { createTableLike, insertRestored } from "./restored-rows.ts";

const DAY_MS = 86_400_000;
const DAYS = 40;
const MIDNIGHT = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const dayOf = (daysAgo: number) => new Date(MIDNIGHT - daysAgo * DAY_MS).toISOString().slice(0, 10);
const DAY = dayOf(10);
const KEY = { target: "file:///exports", day: DAY, source: "tasks" } as const;
const SHA = "a".repeat(64);
const DIGEST = { rows: 1, idMin: "1", idMax: "1", idXor: "1" };
const LANE: PurgeLane = { day: DAY, eventType: "T0", which: "all" };

interface Case {
  /** The exported function, by name; `how` tells apart several cases of one. */
  readonly covers: string;
  readonly how?: string;
  readonly run: (session: Session, noon: string) => Promise<unknown>;
  /** Per statement that reads rows, in order: the indexes it goes through. Empty: it only inserts, or is DDL. */
  readonly uses?: readonly string[];
  /** Every statement looks at no more than the partition of one day. */
  readonly readsOneDay?: true;
  /** Faults that are meant, and why. */
  readonly meant?: readonly [fault: RegExp, because: string];
}

const EXPORTS = [
  /t_retry_export: reads the whole (table|index)/,
  "two rows per exported day and target, asked once per day of a run",
] as const;

const page = (session: Session, source: "tasks" | "attempts", after: ArchiveCursor | undefined) =>
  readArchivePage(
    session,
    { source, day: DAY, eventType: source === "tasks" ? "T0" : undefined },
    // Aliases as an export has them: text that is named like the columns of the order.
    {
      after,
      columns: sql`CAST(id AS CHAR) AS id, CAST(archived_time AS CHAR) AS archived_time`,
      rowsMax: 10,
      bytesMax: 1_000_000,
    },
  );

const CASES: readonly Case[] = [
  {
    covers: "listExports",
    run: (session) => listExports(session, KEY.target),
    uses: ["PRIMARY"],
    meant: [/sorts the rows itself/, "all rows of the target are answered; only their order within a day is turned"],
  },
  { covers: "hasPurgeBegun", run: (session) => hasPurgeBegun(session, DAY), meant: EXPORTS },
  { covers: "recordExport", run: (session) => recordExport(session, KEY, DIGEST, SHA), uses: [] },
  { covers: "markVerified", run: (session) => markVerified(session, KEY, SHA), uses: ["PRIMARY"] },
  { covers: "markUnverified", run: (session) => markUnverified(session, KEY), uses: ["PRIMARY"] },
  { covers: "markPurgeBegan", run: (session) => markPurgeBegan(session, DAY), meant: EXPORTS },
  { covers: "markPurged", run: (session) => markPurged(session, DAY), meant: EXPORTS },
  {
    covers: "purgeBatch",
    run: (session) => purgeBatch(session, LANE, 20),
    uses: ["idx_type_time", "idx_task", "PRIMARY"],
    readsOneDay: true,
  },
  {
    covers: "purgeBatch",
    how: "all of a type at once",
    run: (session) => purgeBatch(session, LANE),
    uses: ["idx_type_time", "idx_task", "PRIMARY"],
    readsOneDay: true,
  },
  {
    covers: "purgeBatch",
    how: "of what failed, all at once",
    run: (session) => purgeBatch(session, { ...LANE, which: "failed" }),
    uses: ["idx_type_time", "idx_task", "PRIMARY"],
    readsOneDay: true,
  },
  {
    covers: "purgeBatch",
    how: "of what ended, all at once",
    run: (session) => purgeBatch(session, { ...LANE, which: "ended" }),
    uses: ["idx_type_time", "idx_task", "PRIMARY"],
    readsOneDay: true,
  },
  { covers: "countLane", run: (session) => countLane(session, LANE), uses: ["idx_type_time"], readsOneDay: true },
  {
    covers: "countLane",
    how: "of what failed",
    run: (session) => countLane(session, { ...LANE, which: "failed" }),
    uses: ["idx_type_time"],
    readsOneDay: true,
  },
  {
    covers: "listDayTypes",
    run: (session) => listDayTypes(session, DAY),
    uses: Array.from({ length: 6 }, () => "idx_type_time"),
    readsOneDay: true,
    meant: [/reads the whole index idx_type_time/, "the first type is the first entry of the day's partition"],
  },
  {
    covers: "listDayAttemptTypes",
    run: (session) => listDayAttemptTypes(session, DAY),
    readsOneDay: true,
    meant: [/./, "no index begins with the type of an attempt: the day is walked once per export"],
  },
  ...ARCHIVE_SOURCES.map((source): Case => ({
    covers: "digestDay",
    how: source,
    run: (session) => digestDay(session, source, DAY),
    uses: [source === "tasks" ? "idx_type_time" : "idx_task"],
    readsOneDay: true,
    meant: [/reads the whole index/, "counts every row of the day, without its payload"],
  })),
  {
    covers: "readArchivePage",
    how: "first of one type's tasks",
    run: (session) => page(session, "tasks", undefined),
    uses: ["idx_type_time", "idx_type_time"],
    readsOneDay: true,
  },
  {
    covers: "readArchivePage",
    how: "of one type's tasks after a cursor",
    run: (session, noon) => page(session, "tasks", { archivedTime: noon, id: "100" }),
    uses: ["idx_type_time", "idx_type_time"],
    readsOneDay: true,
  },
  {
    covers: "readArchivePage",
    how: "first of the attempts",
    run: (session) => page(session, "attempts", undefined),
    uses: ["PRIMARY", "PRIMARY"],
    readsOneDay: true,
    meant: [/reads the whole index PRIMARY/, "the walk begins at the first row of the day's partition"],
  },
  {
    covers: "readArchivePage",
    how: "of the attempts after a cursor",
    run: (session, noon) => page(session, "attempts", { archivedTime: noon, id: "100" }),
    uses: ["PRIMARY", "PRIMARY"],
    readsOneDay: true,
  },
  {
    covers: "createTableLike",
    how: "DDL, which has no plan",
    run: (session) => createTableLike(session, "explained_copy", "t_retry_attempt_restored"),
    uses: [],
  },
  {
    covers: "insertRestored",
    run: async (session, noon) => {
      const columns = "id, archived_time, task_id, event_type, kind, retry_count, claim_no, create_time".split(", ");
      const row = [1n, noon, 1n, "T0", "retried", 1, 1, noon];
      expect(await insertRestored(session, "t_retry_attempt_restored", columns, [row])).toBe(1);
    },
    uses: [],
  },
];

/** The server's own dictionary has plans that say nothing of our indexes: the statement names the one table it asks about. */
const isDictionary = (text: string) => text.includes("information_schema.") && text.includes("TABLE_NAME = ?");

const DICTIONARY: readonly Pick<Case, "covers" | "run">[] = [
  { covers: "listForeignColumns", run: (session) => listForeignColumns(session, "tasks", ["id"]) },
];

/** Asks the dictionary, then looks into every partition: what matters is that each look stays within its own. */
const WALKS = ARCHIVE_SOURCES.map((source) => ({
  covers: "listPartitionDays",
  source,
  run: (session: Session) => listPartitionDays(session, source),
  index: source === "tasks" ? "idx_type_time" : "idx_task",
}));

const SHAPES = [
  {
    name: "40,000 archived tasks and attempts in 40 days, exported for three years",
    archived: 40_000,
    exported: 1_095,
  },
  // Where the optimizer is most tempted to scan: a batch is a large share of its day.
  { name: "100 archived tasks and attempts per day, exported for 40 days", archived: 4_000, exported: DAYS },
] as const;

describe.each(SHAPES)("with $name", (shape) => {
  let test: TestDatabase;
  let noon: string;
  beforeAll(async () => {
    test = await createTestDatabase();
    noon = test.zone.format(new Date(MIDNIGHT - 9.5 * DAY_MS));
    await fill(test, shape);
  });
  afterAll(() => test.drop());

  it.each(CASES.map((one) => [[one.covers, one.how].filter(Boolean).join(", "), one] as const))(
    "%s reads only what it is meant to",
    async (_, one) => {
      const explained = await explainStatements(test, (session) => one.run(session, noon));
      for (const { text, values, steps } of explained) {
        const faults = planFaults(stored(steps)).filter((fault) => !one.meant?.[0].test(fault));
        expect({ text, faults }).toEqual({ text, faults: [] });
        if (one.readsOneDay) expect({ text, days: await daysRead(test, text, values) }).toEqual({ text, days: 1 });
      }
      if (one.uses) expect(explained.map(({ steps }) => keysOf(stored(steps)))).toEqual(one.uses);
      else expect(explained).toHaveLength(1);
    },
  );

  it("looks up each row that a purge deletes, and deletes it with its history", async () => {
    let gone = { tasks: 0, rows: 0 };
    const explained = await explainStatements(test, async (session) => {
      gone = await purgeBatch(session, LANE);
    });
    const types = explained.slice(1).map(({ steps }) => steps.filter(({ key }) => key !== "").map(({ type }) => type));
    expect(types).toEqual([["ref"], ["ref"]]);
    const tasks = shape.archived / DAYS / 5;
    expect(gone).toEqual({ tasks, rows: 2 * tasks });
  });

  it.each(WALKS)("$covers looks into each partition of the $source by itself", async ({ run, index }) => {
    const explained = await explainStatements(test, run);
    const looks = explained.filter(({ text }) => !isDictionary(text));
    // One per day and one for the default partition.
    expect(looks).toHaveLength(DAYS + 1);
    for (const { text, values } of looks) {
      expect({ text, days: await daysRead(test, text, values) }).toEqual({ text, days: 1 });
    }
    // Of a day any one row will do. Walked are the first partition, which has no lower bound, and the default one.
    const walked = looks.filter(({ text }) => !text.endsWith("LIMIT 1"));
    expect(walked.map(({ steps }) => keysOf(steps))).toEqual([index, index]);
  });
});

it.each(DICTIONARY.map((one) => [one.covers, one] as const))("%s asks the dictionary only", async (_, one) => {
  const test = await createTestDatabase();
  try {
    const explained = await explainStatements(test, (session) => one.run(session, ""));
    expect(explained.map(({ text }) => isDictionary(text))).toEqual([true]);
  } finally {
    await test.drop();
  }
});

/** Without the rows built for the statement, which one server names after their alias. */
const stored = (steps: readonly PlanStep[]) => steps.filter(({ table }) => table !== "list" && table !== "");

/** How many partitions the server says it reads for a statement. */
async function daysRead(test: TestDatabase, text: string, values: readonly unknown[]): Promise<number> {
  const explain = test.kind === "mysql" ? "EXPLAIN FORMAT=TRADITIONAL" : "EXPLAIN PARTITIONS";
  const [rows] = await test.pool.query(`${explain} ${text}`, [...values]);
  const lists = (rows as { partitions: string | null }[])
    .map(({ partitions }) => partitions)
    .filter((list) => list !== null);
  return Math.max(0, ...lists.map((list) => list.split(",").length));
}

async function fill(test: TestDatabase, shape: (typeof SHAPES)[number]): Promise<void> {
  const { zone, pool } = test;
  for (const table of ["t_retry_task_archive", "t_retry_attempt_archive"]) {
    const parts = Array.from({ length: DAYS }, (_, index) => {
      const day = dayOf(DAYS - 1 - index);
      const end = zone.format(new Date(Date.parse(day) + DAY_MS));
      return `PARTITION p${day.replaceAll("-", "")} VALUES LESS THAN ('${end}')`;
    });
    await pool.query(
      `ALTER TABLE ${table} REORGANIZE PARTITION p_default INTO (${parts.join(", ")}, PARTITION p_default VALUES LESS THAN (MAXVALUE))`,
    );
  }
  const insert = async (head: string, rows: readonly string[]) => {
    for (let start = 0; start < rows.length; start += 2_000)
      await pool.query(`${head} VALUES ${rows.slice(start, start + 2_000).join(",")}`);
  };
  const archivedAt = (n: number) =>
    zone.format(new Date(MIDNIGHT - (DAYS - 1) * DAY_MS + Math.floor((n * DAYS * DAY_MS) / shape.archived)));
  const numbers = Array.from({ length: shape.archived }, (_, n) => n);
  await insert(
    `INSERT INTO t_retry_task_archive (id, archived_time, event_type, biz_key, biz_context, status, retry_count, max_retry_count,
      retry_strategy, first_retry_interval, next_retry_time, create_time, update_time, claim_no, recycle_count)`,
    numbers.map((n) => {
      const at = archivedAt(n);
      return `(${1 + n}, '${at}', 'T${n % 5}', 'key-${n}', REPEAT('x', 200), ${n % 4 === 0 ? 2 : 1}, 0, 3, 'FIXED', 10, '${at}', '${at}', '${at}', 1, 0)`;
    }),
  );
  await insert(
    `INSERT INTO t_retry_attempt_archive (id, archived_time, task_id, event_type, kind, retry_count, claim_no, error, create_time)`,
    numbers.map((n) => {
      const at = archivedAt(n);
      return `(${1 + n}, '${at}', ${1 + n}, 'T${n % 5}', 'retried', 1, 1, REPEAT('e', 200), '${at}')`;
    }),
  );
  const now = zone.format(new Date());
  await insert(
    `INSERT INTO t_retry_export (target, day, source, row_count, manifest_sha256, exported_time, verified_time, purge_began_time)`,
    Array.from({ length: shape.exported }, (_, daysAgo) =>
      [KEY.target, "s3://other"].flatMap((target) =>
        ARCHIVE_SOURCES.map(
          (source) =>
            `('${target}', '${dayOf(daysAgo)}', '${source}', 1, '${SHA}', '${now}', '${now}', ${daysAgo > 20 ? `'${now}'` : "NULL"})`,
        ),
      ),
    ).flat(),
  );
  await pool.query("ANALYZE TABLE t_retry_task_archive, t_retry_attempt_archive, t_retry_export");
}
