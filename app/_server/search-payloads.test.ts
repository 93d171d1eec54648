import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { registerEventType } from "../../db/queries/event-types.ts";
import type { LookTime } from "../../db/queries/read-pace.ts";
import type { TaskFilter } from "../../db/queries/task-filter.ts";
import { insertTaskRow, type TaskRowValues } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { Asker } from "./asker.ts";
import { consoleDatabase } from "./database.ts";
import { listTasks } from "./list-tasks.ts";
import { parseInput } from "./read-input.ts";
import { SEARCHED_BYTES_MAX } from "./search-payloads.ts";
import { boundedTaskPageQuery } from "./task-list-input.ts";

const FROM = new Date("2026-09-01T00:00:00Z");
const TO = new Date("2026-09-02T00:00:00Z");
const WITHIN = new Date("2026-09-01T12:00:00Z");

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  vi.stubEnv("DATABASE_URL", test.url);
  vi.stubEnv("REDRIVE_ZONE", test.zone.name);
  await test.database.use((session) => registerEventType(session, "PAY", JSON.stringify({ redactPaths: ["$.note"] })));
});
afterAll(async () => {
  await consoleDatabase().close();
  await test.drop();
});

const asker = (scopes?: readonly string[]) =>
  new Asker({ actor: "vic", actorKind: "person", role: "viewer", scopes, ip: undefined, requestId: "r-1" });
const filter: TaskFilter = { state: "all", eventTypes: ["PAY"], createdFrom: FROM, createdTo: TO };
const insert = (payload: unknown, values: TaskRowValues = {}) =>
  test.database.use((session) =>
    insertTaskRow(session, {
      ...{ eventType: "PAY", createTime: WITHIN, ...values },
      bizContext: typeof payload === "string" ? payload : JSON.stringify(payload),
    }),
  );
/** Time stands still, so that no page ends before its rows are used up. */
const UNHURRIED: LookTime = { budgetMs: 1, nowMs: () => 0 };
const search = (payload: string, more: Partial<Parameters<typeof listTasks>[1]> = {}) =>
  listTasks(asker(), { filter, limit: 50, payload, lookTime: UNHURRIED, ...more });

describe("CONSOLE 3.2: a search within payloads", () => {
  it("finds the text byte by byte in one type and a range of creation, newest first, and says what it cost", async () => {
    await insert({ orderId: "A-77" }, { createTime: new Date(FROM.getTime() - 1) });
    const first = await insert({ orderId: "A-77" }, { createTime: FROM });
    const second = await insert({ orderId: "A-77", items: [1] }, { status: "failed" });
    await insert({ orderId: "a-77" });
    await insert({ orderId: "A-77" }, { eventType: "SHIP" });
    await insert({ orderId: "A-77" }, { createTime: TO });
    const page = await search("A-77");
    expect(page.items.map(({ id }) => id)).toEqual([second, first]);
    expect(page).toMatchObject({ exhausted: true, order: { by: "created", direction: "desc" } });
    expect(page.searchedMs).toBeGreaterThanOrEqual(0);
    expect(page.scanned).toBeGreaterThanOrEqual(4);
    const failed = await search("A-77", { filter: { ...filter, state: "failed" } });
    expect(failed.items.map(({ id }) => id)).toEqual([second]);
    expect((await search("A-77", { sort: { by: "created", direction: "asc" } })).items[0]?.id).toBe(first);
    expect((await search("' OR 1=1 -- %")).items).toEqual([]);
  });

  it("CONSOLE 4: does not tell what is masked, hidden or larger than it looks into", async () => {
    const shown = await insert({ ref: "zz-shown-9", password: "zz-secret-9", note: "zz-noted-9" });
    await insert("zz-plain-9 is not JSON");
    await insert({ ref: "zz-large-9", filling: "x".repeat(SEARCHED_BYTES_MAX) });
    expect((await search("zz-shown-9")).items.map(({ id }) => id)).toEqual([shown]);
    for (const text of ["zz-secret-9", "zz-noted-9", "zz-plain-9", "zz-large-9"]) {
      expect([text, (await search(text)).items]).toEqual([text, []]);
    }
    expect((await search("password")).items.map(({ id }) => id)).toEqual([shown]);
  });

  it("pages both ways, and a cursor holds for its own text alone", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift(await insert({ ref: "paged-1", n }));
    const first = await search("paged-1", { limit: 2 });
    const second = await search("paged-1", { limit: 2, cursor: first.nextCursor });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids.slice(0, 4));
    const back = await search("paged-1", { limit: 2, cursor: second.prevCursor });
    expect(back.items).toEqual(first.items);
    await expect(search("paged-2", { limit: 2, cursor: first.nextCursor })).rejects.toMatchObject({
      code: "cursor_of_other_list",
    });
    await expect(listTasks(asker(), { filter, limit: 2, cursor: first.nextCursor })).rejects.toMatchObject({
      code: "cursor_of_other_list",
    });
  });

  it("begins no further statement once nobody waits for it or its time is used up, and says where it stopped", async () => {
    const time = test.zone.format(WITHIN);
    const rows = Array.from(
      { length: 1_000 },
      (_, n) => `('PAY', 'many-${n}', '{"n":${n}}', 3, 'FIXED', 10, '${time}', '${time}')`,
    );
    await test.pool.query(
      `INSERT INTO t_retry_task (event_type, biz_key, biz_context, max_retry_count, retry_strategy, first_retry_interval,
        next_retry_time, create_time) VALUES ${rows.join(",")}`,
    );
    const page = await search("in none of them", { signal: AbortSignal.abort() });
    expect(page).toMatchObject({ items: [], scanned: 100, exhausted: false, searchOn: "next" });
    expect(page.nextCursor).toBeDefined();
    let ms = 0;
    const slow = await search("in none of them", { lookTime: { budgetMs: 400, nowMs: () => (ms += 150) } });
    expect(slow).toMatchObject({ items: [], exhausted: false, searchOn: "next" });
    expect(slow.scanned).toBeLessThan(1_000);
    expect((await search("in none of them")).exhausted).toBe(true);
  });

  it("is for the event types of the asker alone", async () => {
    await expect(listTasks(asker(["SHIP"]), { filter, limit: 50, payload: "A-77" })).rejects.toMatchObject({
      code: "out_of_scope",
    });
  });

  it.each([
    ["without an event type", { createdFrom: "2026-09-01T00:00:00Z", createdTo: "2026-09-01T01:00:00Z" }, "eventType"],
    [
      "of two event types",
      { eventType: "A,B", createdFrom: "2026-09-01T00:00:00Z", createdTo: "2026-09-01T01:00:00Z" },
      "eventType",
    ],
    ["without a range", { eventType: "PAY" }, "createdTo"],
    [
      "of more than a day",
      { eventType: "PAY", createdFrom: "2026-09-01T00:00:00Z", createdTo: "2026-09-02T00:00:00.001Z" },
      "createdTo",
    ],
    [
      "of a range that ends before it begins",
      { eventType: "PAY", createdFrom: "2026-09-01T00:00:00Z", createdTo: "2026-08-31T00:00:00Z" },
      "createdTo",
    ],
  ])("is refused %s", (_, words, path) => {
    expect(() => parseInput(boundedTaskPageQuery, { ...words, payload: "A-77" })).toThrow(
      expect.objectContaining({ code: "invalid_input", details: { problems: [expect.objectContaining({ path })] } }),
    );
  });
});

describe("a list that begins at an instant", () => {
  it("is refused in an order that no time decides", async () => {
    await expect(
      listTasks(asker(), { filter: { state: "all", bizKeyPrefix: "x" }, limit: 5, at: FROM }),
    ).rejects.toMatchObject({ code: "invalid_input" });
    const page = await listTasks(asker(), { filter: { state: "all" }, limit: 1, at: FROM });
    expect(page.items[0]?.createdAt).toBe(FROM.toISOString());
    expect(page.prevCursor).toBeDefined();
  });
});
