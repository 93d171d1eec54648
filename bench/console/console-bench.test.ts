import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { consoleOptions } from "./console-options.ts";
import { seed, type SeedSize } from "./seed.ts";
import { CHUNK_ROWS, seedPart, type SeedPart } from "./seed-chunks.ts";
import { seedFleet } from "./seed-fleet.ts";

const SIZE: SeedSize = { rows: 20_000, archived: 20_000, bulk: 500 };
const quiet = { loops: 2, say: () => undefined };

describe("the seed of the console's bench", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
    await seed(test, SIZE, quiet);
  });
  afterAll(() => test.drop());

  const count = async (from: string): Promise<number> => {
    const [rows] = await test.pool.query(`SELECT COUNT(*) AS count FROM ${from}`);
    return Number((rows as { count: number }[])[0]?.count);
  };

  it("has tasks of every state, type and cause, live and archived, with histories", async () => {
    expect(await count("t_retry_task")).toBe(SIZE.rows + SIZE.bulk);
    for (const status of [0, 1, 2, 3, 4])
      expect(await count(`t_retry_task WHERE status = ${status}`)).toBeGreaterThan(0);
    expect(await count("(SELECT DISTINCT event_type FROM t_retry_task) AS types")).toBe(15);
    expect(await count("t_retry_task WHERE status = 0 AND next_retry_time > UTC_TIMESTAMP(3)")).toBeGreaterThan(0);
    expect(await count("t_retry_task_archive")).toBe(SIZE.archived);
    expect(await count("t_retry_task_archive PARTITION (p_default)")).toBe(0);
    const failed = await count("t_retry_task_archive WHERE status = 2");
    expect(failed / SIZE.archived).toBeCloseTo(0.02, 2);
    expect(await count("t_retry_attempt_archive")).toBe(failed);
    expect(await count("t_retry_attempt")).toBe(
      2 * (await count("t_retry_task WHERE status = 2 AND event_type LIKE 'TYPE%'")),
    );
  });

  it("is made once: a second run finds it done, and one that was cut off goes on with the chunks that are missing", async () => {
    await test.pool.query(`DELETE FROM t_retry_task_archive WHERE id > ${CHUNK_ROWS}`);
    await test.pool.query(`DELETE FROM t_retry_attempt_archive WHERE id > ${CHUNK_ROWS}`);
    await test.pool.query("DELETE FROM bench_chunk WHERE part = 'archive' AND first > 0");
    await seed(test, SIZE, quiet);
    expect(await count("t_retry_task_archive")).toBe(SIZE.archived);
    expect(await count("t_retry_task")).toBe(SIZE.rows + SIZE.bulk);
    await expect(seed(test, { ...SIZE, bulk: 600 }, quiet)).rejects.toThrow("--bulk 500");
  });

  it("takes back a chunk that failed in the middle, so that it is made whole the next time", async () => {
    const insert = (name: string) =>
      `INSERT INTO t_retry_event_type (event_type, create_time, update_time) VALUES ('${name}', NOW(), NOW())`;
    const part = (second: string): SeedPart => ({ name: "types", rows: 1, statements: () => [insert("A"), second] });
    await expect(seedPart(test, part("INSERT INTO nowhere VALUES (1)"), quiet)).rejects.toThrow("nowhere");
    expect(await seedPart(test, part(insert("B")), quiet)).toBe(true);
    expect(await count("t_retry_event_type WHERE event_type IN ('A', 'B')")).toBe(2);
  });

  it("gets the same fleet, metrics and account in each run", async () => {
    await seedFleet(test);
    const before = [await count("t_retry_worker"), await count("t_retry_account")];
    await seedFleet(test);
    expect([await count("t_retry_worker"), await count("t_retry_account")]).toEqual(before);
    expect(await count("t_retry_metric WHERE source = '2h'")).toBeGreaterThan(14 * 84);
  });
});

describe("consoleOptions", () => {
  it("has the sizes of the budgets unless told otherwise", () => {
    expect(consoleOptions([])).toMatchObject({ rows: 5_000_000, archived: 20_000_000, bulk: 100_000, operators: 50 });
    expect(consoleOptions(["--rows", "10", "--only", "bulk"])).toMatchObject({ rows: 10, parts: ["bulk"] });
  });

  it.each([
    [["--rows", "0"], "--rows 0 is not a whole number above 0"],
    [["--only", "list"], "--only list: not one of looks, bulk, operators"],
    [["--speed", "9"], "--speed"],
  ])("refuses %j", (args, problem) => {
    expect(() => consoleOptions(args)).toThrow(problem);
  });
});
