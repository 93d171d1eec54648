import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STATUS_CODE, type TaskStatus } from "../schema/task-status.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import {
  type ArchiveCursor,
  type ArchiveFilter,
  browseArchive,
  countArchive,
  listArchivedTypes,
  LOOKED_AT_MAX,
} from "./browse-archive.ts";

const NOW = new Date("2026-06-01T12:00:00.000Z");
const DAY_MS = 86_400_000;
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const EVER = { from: ago(30 * DAY_MS), to: new Date(NOW.getTime() + DAY_MS) };

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

interface Row {
  readonly id: string;
  readonly at?: Date;
  readonly eventType?: string;
  readonly bizKey?: string;
  readonly status?: TaskStatus;
  readonly cause?: string;
}

async function archive(...rows: readonly Row[]): Promise<void> {
  await test.database.use(async (session) => {
    const values = rows.map(({ id, at = NOW, eventType = "A", bizKey = `k${id}`, status = "succeeded", cause }) => {
      const time = session.zone.format(at);
      return sql`(${BigInt(id)}, ${time}, ${eventType}, ${bizKey}, '{}', ${STATUS_CODE[status]}, 1, 7, 'LEVELS', 33, ${time}, ${time}, ${time}, 4, 0, ${cause ?? null}, ${cause ?? null})`;
    });
    await session.change(
      sql`INSERT INTO t_retry_task_archive (id, archived_time, event_type, biz_key, biz_context, status, retry_count, max_retry_count,
        retry_strategy, first_retry_interval, next_retry_time, create_time, update_time, claim_no, recycle_count, error_fingerprint, last_error)
        VALUES ${sql.join(values, sql`, `)}`,
    );
  });
}

const page = (filter: ArchiveFilter, limit: number, cursor?: ArchiveCursor) =>
  test.database.use((session) => browseArchive(session, { filter, limit, cursor }));
const count = (filter: ArchiveFilter, limit?: number) =>
  test.database.use((session) => countArchive(session, filter, limit));

/** Every page from the newest to the oldest, by id; on the way each is found again from the one that follows it. */
async function pages(filter: ArchiveFilter, limit: number): Promise<string[][]> {
  const found: string[][] = [];
  let cursor: ArchiveCursor | undefined;
  do {
    const { items, older, newer } = await page(filter, limit, cursor);
    const before = found.at(-1);
    if (before && before.length === limit && items.length > 0) {
      expect((await page(filter, limit, newer)).items.map(({ id }) => id)).toEqual(before);
    }
    found.push(items.map(({ id }) => id));
    cursor = older;
  } while (cursor);
  return found;
}

describe("browsing the archive", () => {
  it("shows all types in one order, in pages that neither repeat nor lose a row, forwards and backwards", async () => {
    await archive(
      { id: "9007199254740993", eventType: "L1" },
      { id: "9007199254740992", eventType: "L2" },
      { id: "11", eventType: "L1" },
      { id: "12", eventType: "L3", at: ago(1) },
      { id: "99", eventType: "L2", at: ago(DAY_MS) },
      { id: "98", eventType: "L4", at: ago(2 * DAY_MS) },
    );
    const ids = ["9007199254740993", "9007199254740992", "11", "12", "99", "98"];
    const chunk = (size: number) =>
      Array.from({ length: Math.ceil(6 / size) }, (_, n) => ids.slice(n * size, n * size + size));
    for (const size of [1, 2, 4, 6, 500]) expect(await pages(EVER, size)).toEqual(chunk(size));
    expect((await page({ ...EVER, eventTypes: ["L1"] }, 10)).items.map(({ id }) => id)).toEqual([
      "9007199254740993",
      "11",
    ]);
    expect(await pages({ ...EVER, eventTypes: ["L2", "L1", "L2"] }, 2)).toEqual([ids.slice(0, 2), ["11", "99"]]);
    expect(await page({ ...EVER, eventTypes: [] }, 10)).toMatchObject({ items: [], older: undefined });
  });

  it("keeps its place when rows arrive, and finds them on the way back", async () => {
    await archive(...[1, 2, 3, 4].map((n) => ({ id: `20${n}`, eventType: "P", at: ago(n) })));
    const first = await page({ eventTypes: ["P"] }, 2);
    expect(first.newer).toBeUndefined();
    await archive({ id: "200", eventType: "P", at: ago(0) });
    const second = await page({ eventTypes: ["P"] }, 2, first.older);
    expect(second.items.map(({ id }) => id)).toEqual(["203", "204"]);
    const back = await page({ eventTypes: ["P"] }, 2, second.newer);
    expect(back.items.map(({ id }) => id)).toEqual(["201", "202"]);
    const top = await page({ eventTypes: ["P"] }, 2, back.newer);
    expect(top).toMatchObject({ items: [{ id: "200" }], newer: undefined });
    expect((await page({ eventTypes: ["P"] }, 2, top.older)).items.map(({ id }) => id)).toEqual(["201", "202"]);
  });

  it("is bounded by time: from is included, to is not", async () => {
    await archive(...[0, 1_000, 2_000].map((ms, n) => ({ id: `2${n + 1}`, eventType: "T", at: ago(ms) })));
    const ofT = { eventTypes: ["T"] };
    expect(await pages({ ...ofT, from: ago(2_000), to: ago(0) }, 10)).toEqual([["22", "23"]]);
    expect(await pages({ ...ofT, from: ago(1_999), to: ago(0) }, 10)).toEqual([["22"]]);
    expect(await count(ofT)).toEqual({ count: 3, isCapped: false });
    expect(await count({ ...ofT, from: ago(1_000) })).toEqual({ count: 2, isCapped: false });
    expect(await count(ofT, 2)).toEqual({ count: 2, isCapped: true });
    expect(await count({ ...ofT, status: "failed" })).toEqual({ count: 0, isCapped: false });
  });

  it("finds one cause over all types or some, and one status among others", async () => {
    await archive(
      { id: "31", eventType: "C1", cause: "f1", status: "failed" },
      { id: "32", eventType: "C2", cause: "f1", status: "succeeded", at: ago(5) },
      { id: "33", eventType: "C1", cause: "f2", status: "failed", at: ago(6) },
      { id: "34", eventType: "C1", status: "cancelled", at: ago(7) },
      { id: "35", eventType: "C1", cause: "f1", status: "failed", at: ago(8) },
    );
    expect(await pages({ errorFingerprint: "f1" }, 2)).toEqual([["31", "32"], ["35"]]);
    expect(await pages({ errorFingerprint: "f1", status: "failed" }, 1)).toEqual([["31"], ["35"]]);
    expect(await pages({ errorFingerprint: "f1", eventTypes: ["C2"] }, 5)).toEqual([["32"]]);
    expect(await count({ errorFingerprint: "f1", eventTypes: ["C1"] })).toEqual({ count: 2, isCapped: false });
    expect(await count({ errorFingerprint: "f1", eventTypes: [] })).toEqual({ count: 0, isCapped: false });
    expect(await pages({ eventTypes: ["C1"], status: "failed" }, 2)).toEqual([["31", "33"], ["35"]]);
    expect(await pages({ eventTypes: ["C1"], status: "pending" }, 2)).toEqual([[]]);
  });

  it("A2: finds every task of a key that came back, in order, byte by byte", async () => {
    await archive(
      { id: "41", eventType: "K", bizKey: "key", at: ago(3) },
      { id: "42", eventType: "K", bizKey: "key", at: ago(1), status: "failed", cause: "f9" },
      { id: "43", eventType: "K2", bizKey: "key", at: ago(2) },
      { id: "44", eventType: "K", bizKey: "Key" },
      { id: "45", eventType: "K", bizKey: "key " },
    );
    expect(await pages({ bizKey: "key" }, 2)).toEqual([["42", "43"], ["41"]]);
    expect(await pages({ bizKey: "key", eventTypes: ["K"] }, 5)).toEqual([["42", "41"]]);
    expect(await pages({ bizKey: "key", status: "failed", errorFingerprint: "f9" }, 5)).toEqual([["42"]]);
    expect(await pages({ bizKey: "key", from: ago(2), to: NOW }, 5)).toEqual([["42", "43"]]);
    expect(await count({ bizKey: "key" })).toEqual({ count: 3, isCapped: false });
    expect(await pages({ id: "43" }, 5)).toEqual([["43"]]);
    expect(await pages({ id: "43", bizKey: "other" }, 5)).toEqual([[]]);
    expect(await pages({ id: "43", eventTypes: ["K"] }, 5)).toEqual([[]]);
  });

  it("looks at so many rows per page only, and goes on from there", async () => {
    const rows = Array.from({ length: LOOKED_AT_MAX + 10 }, (_, n) => ({
      id: String(100_000 + n),
      eventType: "RARE",
      at: ago(n),
      status: n === LOOKED_AT_MAX + 5 ? ("failed" as const) : ("succeeded" as const),
    }));
    for (let start = 0; start < rows.length; start += 1_000) await archive(...rows.slice(start, start + 1_000));
    const filter: ArchiveFilter = { eventTypes: ["RARE"], status: "failed" };
    expect(await pages(filter, 50)).toEqual([[], [String(100_000 + LOOKED_AT_MAX + 5)]]);
    expect(await count(filter)).toMatchObject({ isCapped: true });
  });

  it("names the types of the days in question, whatever they are called", async () => {
    await archive(
      { id: "71", eventType: "Zulu", at: ago(400 * DAY_MS) },
      { id: "72", eventType: "zulu ", at: ago(400 * DAY_MS) },
      { id: "73", eventType: "zulu", at: ago(401 * DAY_MS) },
    );
    const types = await test.database.use((session) =>
      listArchivedTypes(session, { from: ago(400 * DAY_MS), to: ago(400 * DAY_MS - 1) }),
    );
    expect(types).toEqual(["Zulu", "zulu "]);
  });
});
