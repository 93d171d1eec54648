import { sql } from "drizzle-orm";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import {
  ARCHIVE_TABLES,
  DEFAULT_PARTITION,
  dropArchiveDay,
  ensureArchivePartitions,
  listArchivePartitions,
} from "./archive-partitions.ts";
import type { Session } from "./session.ts";
import { SessionZone } from "./session-zone.ts";
import { holdOpen } from "./testing/locks.ts";
import { createTestDatabase, type TestDatabase } from "./testing/test-database.ts";

const ZONES = ["+00:00", "+08:00", "-07:30"] as const;

const tests: TestDatabase[] = [];
afterAll(async () => {
  await Promise.all(tests.map((test) => test.drop()));
});

async function fresh(zone: string): Promise<TestDatabase> {
  const test = await createTestDatabase({ zone: SessionZone.parse(zone) });
  tests.push(test);
  return test;
}

async function archive(session: Session, id: number, at: Date): Promise<void> {
  await session.change(
    sql`INSERT INTO t_retry_task_archive (id, archived_time, event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy,
        first_retry_interval, next_retry_time, create_time, update_time, claim_no, recycle_count)
      VALUES (${id}, ${session.zone.format(at)}, 'T', ${`k${id}`}, '{}', 1, 0, 1, 'FIXED', 1, ${session.zone.format(at)}, ${session.zone.format(at)}, ${session.zone.format(at)}, 1, 0)`,
  );
}

/** The ids in each partition of the task archive. */
async function idsByPartition(session: Session): Promise<Record<string, number[]>> {
  const found: Record<string, number[]> = {};
  for (const { name } of await listArchivePartitions(session, "t_retry_task_archive")) {
    const rows = await session.rows<{ id: string }>(
      sql`SELECT id FROM t_retry_task_archive PARTITION (${sql.raw(name)}) ORDER BY id`,
    );
    if (rows.length > 0) found[name] = rows.map(({ id }) => Number(id));
  }
  return found;
}

const daysOf = async (session: Session, table: (typeof ARCHIVE_TABLES)[number] = "t_retry_task_archive") =>
  (await listArchivePartitions(session, table)).map(({ name }) => name);

describe.each(ZONES)("the days of the archive, stored in the zone %s", (zone) => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await fresh(zone);
  });

  it("begin and end at midnight UTC, whatever the zone of storage, session and server", async () => {
    await test.database.use(async (session) => {
      await ensureArchivePartitions(session, new Date("2026-10-31T23:59:59.999Z"), 2);
      // Somebody's session in a zone with summer time writes and reads the same texts.
      await session.run("SET SESSION time_zone = '-05:00'");
      const instants = [
        "2026-10-31T00:00:00.000Z",
        "2026-10-31T23:59:59.999Z",
        "2026-11-01T00:00:00.000Z",
        "2026-11-01T05:30:00.000Z",
        "2026-11-01T06:30:00.000Z",
        "2026-11-01T23:59:59.999Z",
        "2026-11-02T00:00:00.000Z",
        "2026-11-03T00:00:00.000Z",
      ];
      for (const [index, instant] of instants.entries()) await archive(session, index, new Date(instant));
      expect(await idsByPartition(session)).toEqual({
        p20261031: [0, 1],
        p20261101: [2, 3, 4, 5],
        p20261102: [6],
        [DEFAULT_PARTITION]: [7],
      });
    });
  });

  it("are made ahead in both tables, once, by however many processes", async () => {
    const now = new Date("2026-12-30T12:00:00.000Z");
    await Promise.all(
      Array.from({ length: 4 }, () => test.database.use((session) => ensureArchivePartitions(session, now))),
    );
    await test.database.use(async (session) => {
      const expected = ["p20261230", "p20261231", "p20270101", "p20270102", DEFAULT_PARTITION];
      for (const table of ARCHIVE_TABLES) expect(await daysOf(session, table)).toEqual(expected);
      const made: string[] = [];
      await ensureArchivePartitions(session, now, 3, (table) => void made.push(table));
      expect(made).toEqual([]);
      await ensureArchivePartitions(session, new Date("2026-12-31T00:00:00.000Z"), 3, (table) => void made.push(table));
      expect(made).toEqual([...ARCHIVE_TABLES]);
      expect(await daysOf(session)).toContain("p20270103");
    });
  });

  it("take out of the default partition what got there meanwhile, each row to its own day", async () => {
    await test.database.use(async (session) => {
      await archive(session, 1, new Date("2026-03-01T10:00:00Z"));
      await ensureArchivePartitions(session, new Date("2026-03-02T10:00:00Z"), 0);
      expect(await idsByPartition(session)).toEqual({ p20260301: [1] });
      // Nobody made days for a while.
      await archive(session, 2, new Date("2026-03-05T10:00:00Z"));
      await archive(session, 3, new Date("2026-03-07T23:00:00Z"));
      expect(await idsByPartition(session)).toEqual({ p20260301: [1], [DEFAULT_PARTITION]: [2, 3] });
      await ensureArchivePartitions(session, new Date("2026-03-08T10:00:00Z"), 1);
      expect(await idsByPartition(session)).toEqual({ p20260301: [1], p20260305: [2], p20260307: [3] });
      expect((await daysOf(session)).at(-2)).toBe("p20260309");
    });
  });

  it("are dropped whole, and a row that comes for a dropped day is kept in the next", async () => {
    await test.database.use(async (session) => {
      await ensureArchivePartitions(session, new Date("2026-03-01T00:00:00Z"), 2);
      await archive(session, 1, new Date("2026-03-01T10:00:00Z"));
      await archive(session, 2, new Date("2026-03-02T10:00:00Z"));
      await dropArchiveDay(session, "2026-03-01");
      expect(await idsByPartition(session)).toEqual({ p20260302: [2] });
      await dropArchiveDay(session, "2026-03-01");
      await archive(session, 3, new Date("2026-03-01T11:00:00Z"));
      expect(await idsByPartition(session)).toEqual({ p20260302: [2, 3] });
      await expect(dropArchiveDay(session, "2026-02-31x")).rejects.toThrow(/is not a day/);
    });
  });
});

it("gives up after a few short waits while a long read holds the archive, and does not stay in the way", async () => {
  const test = await fresh("+00:00");
  const reader = await holdOpen(test.database, (session) =>
    session.rows(sql`SELECT COUNT(*) FROM t_retry_task_archive`),
  );
  const made = test.database.use((session) => ensureArchivePartitions(session, new Date("2026-03-01T00:00:00Z")));
  await expect(made).rejects.toThrow(/found its table in use/);
  // The row of today goes to the default partition meanwhile.
  await test.database.use(async (session) => {
    await archive(session, 1, new Date("2026-03-01T10:00:00Z"));
    expect(await idsByPartition(session)).toEqual({ [DEFAULT_PARTITION]: [1] });
  });
  await reader.commit();
  await test.database.use(async (session) => {
    await ensureArchivePartitions(session, new Date("2026-03-01T00:00:00Z"));
    expect(await idsByPartition(session)).toEqual({ p20260301: [1] });
    const [wait] = await session.rows<{ seconds: number | string }>(sql`SELECT @@SESSION.lock_wait_timeout AS seconds`);
    expect(Number(wait?.seconds)).toBeGreaterThan(1);
  });
});
