import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { SessionZone } from "../session-zone.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { addArchivedCount, countArchivedByDay, readPurgedDays } from "./count-archived.ts";
import { markPurgeBegan, markPurged, recordExport } from "./exports.ts";

const NOON = new Date("2026-06-01T12:00:30.500Z");
const at = (ms: number) => new Date(NOON.getTime() + ms);

let test: TestDatabase;
beforeAll(async () => {
  // The day of a count is the UTC day, whatever zone the table is written in.
  test = await createTestDatabase({ zone: SessionZone.parse("+08:00") });
});
afterAll(() => test.drop());

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);

describe("counts of archived tasks", () => {
  it("add up per minute, type and source, and per UTC day over all sources", async () => {
    const add = (ms: number, eventType: string, source: string, count: number) =>
      inSession((session) => addArchivedCount(session.at(at(ms)), { eventType, source, count }));
    await add(0, "A", "one", 200);
    await add(20_000, "A", "one", 7);
    await add(40_000, "A", "one", 1);
    await add(0, "A", "two", 3);
    await add(0, "B", "one", 5);
    await add(-12 * 3_600_000 - 31_000, "A", "one", 40);
    await add(-3 * 86_400_000, "A", "one", 9_999);
    const [rows] = await test.pool.query(
      "SELECT archived_count FROM t_retry_metric WHERE event_type = 'A' AND source = 'one' ORDER BY minute DESC LIMIT 2",
    );
    expect(rows).toEqual([{ archived_count: 1 }, { archived_count: 207 }]);
    expect(await inSession((session) => countArchivedByDay(session.at(at(60_000)), 2))).toEqual([
      { day: "2026-05-31", eventType: "A", count: 40 },
      { day: "2026-06-01", eventType: "A", count: 211 },
      { day: "2026-06-01", eventType: "B", count: 5 },
    ]);
  });

  it("are there once when many add at the same moment", async () => {
    await Promise.all(
      Array.from({ length: 20 }, () =>
        inSession((session) => addArchivedCount(session.at(at(0)), { eventType: "C", source: "same", count: 2 })),
      ),
    );
    const found = await inSession((session) => countArchivedByDay(session.at(at(1_000)), 1));
    expect(found.filter(({ eventType }) => eventType === "C")).toEqual([
      { day: "2026-06-01", eventType: "C", count: 40 },
    ]);
  });

  it("are undone with the move that they tell of", async () => {
    const move = test.database.transaction(async (session) => {
      await addArchivedCount(session.at(at(0)), { eventType: "D", source: "one", count: 2 });
      throw new Error("not moved");
    });
    await expect(move).rejects.toThrow("not moved");
    const found = await inSession((session) => countArchivedByDay(session.at(at(1_000)), 1));
    expect(found.filter(({ eventType }) => eventType === "D")).toEqual([]);
  });
});

describe("purged days", () => {
  it("are told from those that have lost a part of their rows", async () => {
    expect(await inSession(readPurgedDays)).toEqual({ newestPurged: undefined, partly: [] });
    await inSession(async (session) => {
      for (const day of ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"]) {
        for (const target of ["/one", "/two"]) {
          const key = { target, day, source: "tasks" } as const;
          await recordExport(session, key, { rows: 1, idMin: "1", idMax: "1", idXor: "1" }, "0".repeat(64));
        }
      }
      for (const day of ["2026-01-01", "2026-01-02", "2026-01-03"]) await markPurgeBegan(session, day);
      for (const day of ["2026-01-01", "2026-01-02"]) await markPurged(session, day);
    });
    expect(await inSession(readPurgedDays)).toEqual({ newestPurged: "2026-01-02", partly: ["2026-01-03"] });
  });
});
