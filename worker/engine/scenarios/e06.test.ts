import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, endChildren, type Line } from "../../testing/child-engine.ts";
import { attemptsOf, insertDueTasks, taskFacts } from "../../testing/task-facts.ts";
import { waitFor } from "../../testing/wait-for.ts";

const HARMLESS = 100;
const DEAD_AFTER_MS = 800;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
afterEach(endChildren);

describe("E6: a task that kills its worker each time", () => {
  it("E6: the pill is started 3 times and fails as abandoned; all 100 tasks beside it succeed", async () => {
    const lines: Line[] = [];
    let isOver = false;
    let deaths = 0;
    const start = (): Promise<ChildEngine> =>
      ChildEngine.start({
        url: test.url,
        engine: { beatIntervalMs: 200, deadAfterMs: DEAD_AFTER_MS, recycleIntervalMs: 200 },
        types: [
          {
            eventType: "MIXED",
            concurrency: 4,
            pollIntervalMs: 200,
            maxRecycles: 3,
            retry: { maxRetryCount: 3 },
            steps: [{ do: "sleep", ms: 50 }],
            keys: { "pill-0": [{ do: "sleep", ms: 20 }, { do: "exit" }] },
          },
        ],
      });
    await insertDueTasks(test, "MIXED", 5, { prefix: "before" });
    await insertDueTasks(test, "MIXED", 1, { prefix: "pill", maxRetryCount: 3 });
    await insertDueTasks(test, "MIXED", HARMLESS - 5, { prefix: "after" });
    let current: ChildEngine | undefined;
    const supervise = async (): Promise<void> => {
      while (!isOver) {
        current = await start().catch(() => undefined);
        if (!current) continue;
        await current.ended;
        lines.push(...current.lines);
        if (!isOver) deaths++;
      }
    };
    const supervision = supervise();

    const pill = await waitFor(
      "everything has come to its end",
      async () => {
        const facts = await taskFacts(test);
        const isDone = facts.every((fact) => fact.status === "succeeded" || fact.status === "failed");
        return isDone && facts.find((fact) => fact.bizKey === "pill-0");
      },
      40_000,
    );
    expect(pill).toMatchObject({ status: "failed", finishReason: "abandoned", recycleCount: 3, retryCount: 0 });
    expect(pill.lastError).toMatch(/abandoned while running 3 times/);
    const others = (await taskFacts(test)).filter((fact) => fact.bizKey !== "pill-0");
    expect(others).toHaveLength(HARMLESS);
    for (const fact of others) expect(fact).toMatchObject({ status: "succeeded", retryCount: 0 });

    // A pill that were started again would end this worker too; it runs a task made after many more looks at the table.
    const survivor = current ?? expect.fail("nobody runs");
    const untilMs = performance.now() + 3 * DEAD_AFTER_MS;
    await waitFor("several limits have passed", () => !survivor.isRunning || performance.now() > untilMs);
    expect(survivor.isRunning).toBe(true);
    await insertDueTasks(test, "MIXED", 1, { prefix: "last" });
    await waitFor("the survivor works", async () =>
      (await taskFacts(test)).some((fact) => fact.bizKey === "last-0" && fact.status === "succeeded"),
    );
    isOver = true;
    await survivor.stop();
    await supervision;

    const starts = lines.filter((line) => line["bizKey"] === "pill-0" && line["phase"] === "start");
    expect(starts.map((line) => line["recycleCount"])).toEqual([0, 1, 2]);
    expect(deaths).toBe(3);
    const recycles = await attemptsOf(test, "recycled");
    expect(recycles.filter((entry) => entry.taskId === pill.id).map((entry) => entry.detail)).toEqual([
      expect.stringContaining("abandonment 1 of 3"),
      expect.stringContaining("abandonment 2 of 3"),
      expect.stringContaining("abandonment 3 of 3, failed for good"),
    ]);
    const counted = lines
      .filter((line) => line["name"] === "recycled")
      .reduce((sum, line) => sum + Number(line["count"]), 0);
    expect(counted).toBe(recycles.length);
  });
});
