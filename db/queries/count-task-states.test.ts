import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { render, type Session } from "../session.ts";
import { countStates } from "../testing/count-states.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { addUpSteps, type CountStep, countSteps, type StateCount } from "./count-task-states.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  const values = Array.from({ length: 400 }, (_, n) => {
    const status = [0, 0, 1, 2][n % 4] ?? 0;
    const due = n % 8 < 4 ? "2026-01-01 00:00:00.000" : "2036-01-01 00:00:00.000";
    return `('T${String(n % 20).padStart(2, "0")}', 'key-${n}', '{}', ${status}, ${n % 3}, 3, 'FIXED', 10, '${due}', ${n % 5 === 0 ? "'f1'" : "NULL"})`;
  });
  await test.pool.query(
    `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy,
      first_retry_interval, next_retry_time, error_fingerprint) VALUES ${values.join(",")}`,
  );
});
afterAll(() => test.drop());

/** The counts and the statements that they took. */
async function counted(...[filter, limits]: [Parameters<typeof countStates>[1], Parameters<typeof countStates>[2]?]) {
  const texts: string[] = [];
  const counts = await test.database.use(async (session: Session) => {
    const rows = session.rows.bind(session);
    session.rows = async (statement) => {
      texts.push(render(statement).text);
      return rows(statement);
    };
    return countStates(session, filter, limits);
  });
  return { counts, texts: texts.filter((text) => text.startsWith("SELECT COUNT(*)")) };
}

const exactly = (count: number): StateCount => ({ count, atLeast: false });

describe("countStep", () => {
  it.each([
    ["all tasks", {}, 400, 200],
    ["one cause, by rows", { cause: "f1" }, 80, 40],
    ["a beginning of biz keys", { bizKeyPrefix: "key-1" }, 111, 55],
  ] as const)(
    "counts %s: the parts add up, and those within them are not counted twice",
    async (_, filter, all, pending) => {
      const { counts } = await counted(filter);
      expect(counts.all).toEqual(exactly(all));
      expect((counts.due?.count ?? 0) + (counts.scheduled?.count ?? 0)).toBe(pending);
      const [rows] = await test.pool.query(
        `SELECT COUNT(*) AS n FROM t_retry_task WHERE status = 0 AND retry_count > 0 ${"cause" in filter ? "AND error_fingerprint = 'f1'" : ""}
        ${"bizKeyPrefix" in filter ? "AND biz_key LIKE 'key-1%'" : ""}`,
      );
      expect(counts.retrying).toEqual(exactly(Number((rows as { n: number }[])[0]?.n)));
      expect([counts.stuck, counts.running, counts.cancelled]).toEqual([exactly(0), exactly(0), exactly(0)]);
    },
  );

  it("counts all states of tasks that are named by one look at them", async () => {
    expect((await counted({ bizKeyPrefix: "key-1" })).texts).toHaveLength(1);
    expect((await counted({ ids: ["1", "2", "3"] })).texts).toHaveLength(1);
  });

  it("reads no further type once the first ones have reached the limit", async () => {
    const { counts, texts } = await counted({}, { countMax: 15, rowsMax: 15 });
    expect(counts.succeeded).toEqual({ count: 15, atLeast: true });
    // Tasks that succeeded are of five types, 20 of each: T02, the third, alone suffices.
    const types = texts
      .filter((text) => !text.includes("STRAIGHT_JOIN"))
      .map((text) => text.split("event_type").length - 1);
    expect(Math.max(...types)).toBeLessThan(20);
    expect(texts.length).toBeLessThan(40);
  });

  it("says that there may be more where the rows that it may look at are used up", async () => {
    const { counts } = await counted({ cause: "f1" }, { rowsMax: 30 });
    expect(counts.failed?.atLeast).toBe(true);
    expect(counts.retrying?.atLeast).toBe(true);
    expect(counts.all?.atLeast).toBe(true);
    expect(counts.cancelled).toEqual(exactly(0));
  });
});

describe("addUpSteps", () => {
  const steps = countSteps({});
  const withCounts = (countOf: (step: CountStep) => number | null) =>
    steps.map((step) => {
      const count = countOf(step);
      return { step, counts: count === null ? null : new Map(step.states.map((state) => [state, exactly(count)])) };
    });

  it("has no number for a state of a step that took too long, nor for all, unless the others exceed the limit", () => {
    const without = (count: number) =>
      addUpSteps(
        withCounts(({ part }) => (part === "due" ? null : count)),
        100,
      );
    expect(without(3)).toMatchObject({
      due: null,
      retrying: null,
      all: null,
      scheduled: exactly(3),
      stuck: exactly(3),
    });
    expect(without(90)).toMatchObject({ due: null, retrying: null, all: { count: 100, atLeast: true } });
  });

  it("adds up the parts to all, and retrying ones that are due to those that are not", () => {
    expect(addUpSteps(withCounts(() => 3))).toMatchObject({
      all: exactly(18),
      retrying: exactly(6),
      stuck: exactly(3),
    });
  });
});
