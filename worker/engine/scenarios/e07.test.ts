import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, endChildren } from "../../testing/child-engine.ts";
import { insertDueTasks, statusCounts, taskFacts, whenAll } from "../../testing/task-facts.ts";
import { waitFor } from "../../testing/wait-for.ts";

const ENGINE = { beatIntervalMs: 200, deadAfterMs: 1_500, recycleIntervalMs: 200 };
const COUNT = 100;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  await test.pool.query("DELETE FROM t_retry_task");
});
afterEach(endChildren);

function instance(eventTypes: readonly string[], steps: { do: "hang" }[] = []): Promise<ChildEngine> {
  const types = eventTypes.map((eventType) => ({ eventType, concurrency: 20, pollIntervalMs: 500, steps }));
  return ChildEngine.start({ url: test.url, engine: ENGINE, types });
}

describe("E7: an instance that does not know an event type", () => {
  it("E7: tasks of the new type, also those of a dead instance, are run by the instance that knows it", async () => {
    const dying = await instance(["NEW"], [{ do: "hang" }]);
    await insertDueTasks(test, "NEW", COUNT);
    await dying.waitUntil("some are running", () => dying.calls("start").length === 20);
    await dying.kill();
    const old = await instance(["OLD"]);
    await waitFor("OLD has given the abandoned ones back", async () => (await statusCounts(test))["pending"] === COUNT);
    const given = await taskFacts(test);
    expect(given.filter((fact) => fact.recycleCount === 1)).toHaveLength(20);
    const newer = await instance(["NEW", "OLD"]);
    await whenAll(test, ["succeeded"], { eventType: "NEW" });

    expect(old.calls("start")).toEqual([]);
    expect(newer.calls("start")).toHaveLength(COUNT);
    for (const fact of await taskFacts(test, "NEW")) expect(fact).toMatchObject({ owner: newer.owner, retryCount: 0 });
  });

  it("E7: alone, OLD leaves them as they are, says nothing about them, and its own tasks are not delayed", async () => {
    await insertDueTasks(test, "NEW", COUNT);
    const before = await taskFacts(test, "NEW");
    const old = await instance(["OLD"]);
    await insertDueTasks(test, "OLD", 20);
    await whenAll(test, ["succeeded"], { eventType: "OLD" });
    await old.enqueue([{ eventType: "OLD", bizKey: "eager" }]);
    await whenAll(test, ["succeeded"], { eventType: "OLD" });

    expect(await taskFacts(test, "NEW")).toEqual(before);
    expect(old.lines.filter((line) => line["eventType"] === "NEW")).toEqual([]);
    expect(old.events("loopError")).toEqual([]);
    expect(old.stderr.join("")).toBe("");
  });
});
