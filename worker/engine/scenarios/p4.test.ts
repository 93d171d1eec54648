import { describe, expect, it } from "vitest";
import { z } from "zod";
import { resetTask } from "../../../db/queries/reset-task.ts";
import { CallLog, Scenario } from "../../testing/scenario.ts";

const scenario = new Scenario();
const good = (eventType: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ eventType, bizKey: `good-${index}`, bizContext: `{"n":${index}}` }));
const retry = { strategy: "FIXED", firstIntervalSeconds: 1 } as const;

describe("P4: a stored payload that cannot be read", () => {
  it("50 due rows of which three cannot be used: 47 run in the same pass, the three fail by their budget, uncalled", async () => {
    const log = new CallLog();
    const eventType = "BATCH";
    const bad = [
      { eventType, bizKey: "half", bizContext: '{"a":' },
      { eventType, bizKey: "empty", bizContext: "" },
      { eventType, bizKey: "null", bizContext: "null" },
    ].map((row) => ({ ...row, maxRetryCount: 3, firstRetryInterval: 1, dueInMs: -1_000 }));
    const badIds = await scenario.insert(...bad);
    const goodIds = await scenario.insert(...good(eventType, 47));
    const started = await scenario.start([
      // A handler that needs an object says so by its schema; `null` is JSON, yet not what it needs.
      log.handler({
        eventType,
        concurrency: 50,
        pollIntervalMs: 50,
        retry,
        schema: z.object({ n: z.number() }),
      } as never),
    ]);
    for (const id of goodIds) await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    expect(started.of("claimed")[0]).toMatchObject({ count: 50 });
    expect(log.calls).toHaveLength(47);
    for (const [index, id] of badIds.entries()) {
      const row = await started.rowWhere(id, "fails for good", ({ status }) => status === "failed", 60_000);
      expect(row).toMatchObject({ retryCount: 3, finishReason: "exhausted", bizContext: bad[index]?.bizContext });
      expect(row.lastError).toMatch(/the stored payload (is not JSON|does not fit the schema)/);
      expect(row.claimNo).toBe(3);
    }
    // Left alone from then on.
    const [marker = ""] = await scenario.insert({ eventType, bizKey: "marker", bizContext: '{"n":1}' });
    await started.rowWhere(marker, "succeeds", ({ status }) => status === "succeeded");
    for (const id of badIds) expect((await scenario.row(id))?.claimNo).toBe(3);
    expect(log.keys.filter((key) => !key.startsWith("good"))).toEqual(["marker"]);
    // Repaired and reset, it is a task like any other.
    const [repaired = ""] = badIds;
    await scenario.rows("UPDATE t_retry_task SET biz_context = '{\"n\":7}' WHERE id = ?", [BigInt(repaired)]);
    await scenario.database.database.transaction((session) => resetTask(session, { id: repaired, actor: "op" }));
    await started.rowWhere(repaired, "succeeds", ({ status }) => status === "succeeded");
    expect(log.calls.at(-1)?.bizContext).toEqual({ n: 7 });
  });

  it("without a schema, the JSON value null is handed over as null; texts that are no JSON never reach the handler", async () => {
    const log = new CallLog();
    const eventType = "PLAIN";
    const texts = ["{}}", "undefined", "{'a':1}", " ", "\ufeff{}", "NaN", '{"a":1}{"b":2}', "\u0000"];
    const started = await scenario.start([log.handler({ eventType, pollIntervalMs: 50, retry })]);
    const bad = await scenario.insert(...texts.map((bizContext) => ({ eventType, bizContext, maxRetryCount: 1 })));
    const [nothing = "", spaced = ""] = await scenario.insert(
      { eventType, bizContext: "null" },
      { eventType, bizContext: ' {"a" : 1}\n' },
    );
    for (const id of bad) {
      const row = await started.rowWhere(id, "fails", ({ status }) => status === "failed");
      expect(row.lastError).toContain("the stored payload is not JSON");
    }
    for (const id of [nothing, spaced]) await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    expect(log.calls.map(({ bizContext, bizContextText }) => [bizContext, bizContextText])).toEqual([
      [null, "null"],
      [{ a: 1 }, ' {"a" : 1}\n'],
    ]);
  });

  it("one that does not fit the handler's schema any more is a failed attempt with the path of the problem", async () => {
    const log = new CallLog();
    const eventType = "SCHEMA";
    const schema = z.object({ order: z.object({ cents: z.number() }) });
    const started = await scenario.start([log.handler({ eventType, pollIntervalMs: 50, retry, schema } as never)]);
    const [id = ""] = await scenario.insert({ eventType, bizContext: '{"order":{"cents":"12"}}', maxRetryCount: 1 });
    const row = await started.rowWhere(id, "fails", ({ status }) => status === "failed");
    expect(row.lastError).toContain("order.cents: ");
    expect(log.calls).toEqual([]);
    await expect(started.enqueue({ eventType, bizKey: "k", bizContext: { order: {} } })).rejects.toMatchObject({
      code: "INVALID_PAYLOAD",
      message: expect.stringContaining("order.cents") as string,
    });
  });

  it("a schema that transforms gives the handler its output, and one that throws is a failed attempt", async () => {
    const log = new CallLog();
    const started = await scenario.start([
      log.handler({ eventType: "TRANSFORMS", retry, schema: z.object({ at: z.coerce.date() }) } as never),
      log.handler({
        eventType: "THROWS",
        pollIntervalMs: 50,
        retry: { ...retry, maxRetryCount: 1 },
        schema: {
          "~standard": {
            version: 1,
            vendor: "test",
            validate: () => {
              throw new Error("schema is broken");
            },
          },
        },
      } as never),
    ]);
    const at = new Date("2026-10-25T00:30:00.123Z");
    const { id } = await started.enqueue({ eventType: "TRANSFORMS", bizKey: "k", bizContext: { at } });
    await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    expect(log.calls[0]?.bizContext).toEqual({ at });
    const [broken = ""] = await scenario.insert({ eventType: "THROWS", maxRetryCount: 1 });
    const row = await started.rowWhere(broken, "fails", ({ status }) => status === "failed");
    expect(row.lastError).toContain("schema is broken");
  });
});
