import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertArchivedAttempt, insertArchivedTask } from "../../worker/testing/archive-rows.ts";
import { ensureArchivePartitions } from "../archive-partitions.ts";
import type { Session } from "../session.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import {
  type ArchiveCursor,
  type ArchiveWalk,
  digestDay,
  listDayTypes,
  listPartitionDays,
  readArchivePage,
} from "./read-archive.ts";

const DAY = "2026-11-03";
const NOON = Date.parse(`${DAY}T12:00:00Z`);
const ROWS = 400;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.use(async (session) => {
    await ensureArchivePartitions(session, new Date("2026-11-02T06:00:00Z"), 4);
    for (let n = 1; n <= ROWS; n++) {
      // All rows of PAY share one instant, as those of one batch of the archiver do.
      await insertArchivedTask(session, {
        id: String(n),
        eventType: "PAY",
        archivedAt: new Date(NOON),
        bizContext: "x".repeat(n),
      });
      await insertArchivedAttempt(session, { id: String(n), taskId: String(n), archivedAt: new Date(NOON - n) });
    }
    await insertArchivedTask(session, { id: "900", eventType: "pay", archivedAt: new Date(`${DAY}T00:00:00.000Z`) });
    await insertArchivedTask(session, { id: "901", eventType: "", archivedAt: new Date(`${DAY}T23:59:59.999Z`) });
    await insertArchivedTask(session, {
      id: "902",
      eventType: "PAY",
      archivedAt: new Date("2026-11-04T00:00:00.000Z"),
    });
    for (const day of ["2026-10-30", "2026-11-01", "2026-11-20", "2026-11-25"]) {
      await insertArchivedTask(session, { id: "903", eventType: "OLD", archivedAt: new Date(`${day}T00:00:00.000Z`) });
    }
  });
});
afterAll(() => test.drop());

const page = (
  session: Session,
  walk: ArchiveWalk,
  after: ArchiveCursor | undefined,
  rowsMax: number,
  bytesMax = 1 << 30,
) => readArchivePage(session, walk, { after, columns: sql`CAST(id AS CHAR) AS id`, rowsMax, bytesMax });

async function walkIds(walk: ArchiveWalk, rowsMax: number, bytesMax?: number): Promise<string[][]> {
  const pages: string[][] = [];
  let after: ArchiveCursor | undefined;
  do {
    const { rows, next } = await test.database.use((session) => page(session, walk, after, rowsMax, bytesMax));
    if (rows.length > 0) pages.push(rows.map((row) => String(row["id"])));
    after = next;
  } while (after);
  return pages;
}

const tasks: ArchiveWalk = { source: "tasks", day: DAY, eventType: "PAY" };
const attempts: ArchiveWalk = { source: "attempts", day: DAY, eventType: undefined };
const allIds = Array.from({ length: ROWS }, (_, index) => String(index + 1));

describe("a walk through a day", () => {
  it("meets every row once, in the order of numbers and not of digits, and no row of another type or day", async () => {
    expect((await walkIds(tasks, 7)).flat()).toEqual(allIds);
    expect((await walkIds(attempts, 7)).flat()).toEqual(allIds);
  });

  it("takes as many rows as fit into the bytes, and one row in any case", async () => {
    const pages = await walkIds(tasks, 1_000, 500);
    expect(pages.flat()).toEqual(allIds);
    for (const ids of pages) {
      const bytes = ids.reduce((sum, id) => sum + Number(id), 0);
      expect(ids.length === 1 || bytes <= 500).toBe(true);
    }
    expect(await walkIds(tasks, 1_000, 1)).toHaveLength(ROWS);
  });

  it.each([
    ["tasks", tasks, { archivedTime: "", id: "350" }],
    ["attempts", attempts, { archivedTime: "2026-11-03 12:00:00.000", id: "10" }],
  ] as const)("reads no more of %s than the page holds, wherever it begins", async (_, walk, given) => {
    await test.database.use(async (session) => {
      const after = { ...given, archivedTime: given.archivedTime || session.zone.format(new Date(NOON)) };
      await session.run("FLUSH STATUS");
      expect((await page(session, walk, after, 5)).rows).toHaveLength(5);
      const counts = await session.rows<{ Variable_name: string; Value: string }>(
        sql`SHOW SESSION STATUS LIKE 'Handler_read%'`,
      );
      const reads = counts.reduce((sum, row) => sum + Number(row.Value), 0);
      // The sizes and the rows: two statements of five rows each, and a step beyond.
      expect(reads).toBeLessThanOrEqual(20);
    });
  });
});

describe("the days of the archive", () => {
  it("are found in every partition, in those that hold several days and in the default one", async () => {
    const found = await test.database.use((session) => listPartitionDays(session, "tasks"));
    expect(found).toEqual([
      { partition: "p20261102", days: ["2026-10-30", "2026-11-01"] },
      { partition: "p20261103", days: ["2026-11-03"] },
      { partition: "p20261104", days: ["2026-11-04"] },
      { partition: "p20261105", days: [] },
      { partition: "p20261106", days: [] },
      { partition: "p_default", days: ["2026-11-20", "2026-11-25"] },
    ]);
  });

  it("know their types, byte by byte, and their rows", async () => {
    await test.database.use(async (session) => {
      expect(await listDayTypes(session, DAY)).toEqual(["", "PAY", "pay"]);
      const xor = [...allIds, "900", "901"].reduce((bits, id) => bits ^ BigInt(id), 0n);
      expect(await digestDay(session, "tasks", DAY)).toEqual({
        rows: ROWS + 2,
        idMin: "1",
        idMax: "901",
        idXor: xor.toString(),
      });
      expect(await digestDay(session, "tasks", "2026-11-10")).toEqual({
        rows: 0,
        idMin: null,
        idMax: null,
        idXor: "0",
      });
    });
  });
});
