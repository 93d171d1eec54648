import { describe, expect, it } from "vitest";
import { CallLog, Scenario } from "../../testing/scenario.ts";
import { Gate, waitFor } from "../../testing/wait-for.ts";

const scenario = new Scenario();
const many = (eventType: string, count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => ({ eventType, bizKey: `${prefix}-${index}` }));

describe("E8: a handler that never settles", () => {
  it("is a failed attempt after the time limit; its slot is free again and other types do not notice", async () => {
    const x = new CallLog();
    const y = new CallLog();
    const signals: AbortSignal[] = [];
    const started = await scenario.start([
      x.handler({ eventType: "X", concurrency: 4, timeLimitMs: 3_000, pollIntervalMs: 50 }, (task, ctx) => {
        if (!task.bizKey.startsWith("hang")) return true;
        signals.push(ctx.signal);
        return new Promise(() => undefined);
      }),
      y.handler({ eventType: "Y", concurrency: 4, pollIntervalMs: 50 }),
    ]);
    const hanging = await scenario.insert(
      ...many("X", 4, "hang").map((row) => ({ ...row, maxRetryCount: 2, firstRetryInterval: 1 })),
    );
    await waitFor("all four slots to hang", () => signals.length === 4);
    const normal = await scenario.insert(...many("X", 20, "normal"), ...many("Y", 20, "y"));
    await waitFor("Y to be done", async () => (await scenario.statuses("Y"))["succeeded"] === 20);
    expect(signals.some(({ aborted }) => aborted)).toBe(false);
    expect(started.of("rescheduled")).toEqual([]);
    for (const id of hanging) {
      const row = await started.rowWhere(id, "has failed once", ({ retryCount }) => retryCount >= 1);
      expect(row.lastError).toContain("time limit of 3000 ms");
    }
    await waitFor("that to be told of each", () => started.of("rescheduled").length >= 4);
    expect(started.of("rescheduled").map(({ retryCount, delayMs }) => [retryCount, delayMs])).toEqual(
      Array.from({ length: 4 }, () => [1, 1_000]),
    );
    for (const id of normal) await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
    for (const id of hanging) {
      const row = await started.rowWhere(id, "fails for good", ({ status }) => status === "failed");
      expect(row).toMatchObject({ retryCount: 2, finishReason: "exhausted", recycleCount: 0 });
      expect(row.lastError).toContain("time limit of 3000 ms");
    }
    expect(signals).toHaveLength(8);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(started.engine.health().pools["X"]).toMatchObject({ running: 0, queued: 0 });
  });

  it("since when a running task runs is in its row, and its claim holder too", async () => {
    const gate = new Gate();
    const started = await scenario.start([new CallLog().handler({ eventType: "SINCE" }, () => gate.opened)]);
    const before = await scenario.now();
    const { id } = await started.enqueue({ eventType: "SINCE", bizKey: "k" });
    const row = await started.rowWhere(id, "runs", ({ status }) => status === "running");
    expect(row.owner).toBe(started.engine.owner);
    expect(row.startedTime?.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect(row.startedTime?.getTime()).toBeLessThanOrEqual((await scenario.now()).getTime());
    gate.open();
  });

  it("one that ends after its limit changes nothing any more, whatever it answers", async () => {
    const gate = new Gate();
    const ended: string[] = [];
    const started = await scenario.start([
      new CallLog().handler(
        { eventType: "LATE", timeLimitMs: 100, pollIntervalMs: 50, retry: { firstIntervalSeconds: 3_600 } },
        async (task) => {
          await gate.opened;
          ended.push(task.bizKey);
          if (task.bizKey === "throws") throw new Error("late error");
        },
      ),
    ]);
    const ids = await scenario.insert(
      { eventType: "LATE", bizKey: "returns" },
      { eventType: "LATE", bizKey: "throws" },
    );
    const before = [];
    for (const id of ids) before.push(await started.rowWhere(id, "fails", ({ retryCount }) => retryCount === 1));
    gate.open();
    await waitFor("both to end late", () => ended.length === 2);
    const marker = await started.enqueue({ eventType: "LATE", bizKey: "marker" });
    await started.rowWhere(marker.id, "succeeds", ({ status }) => status === "succeeded");
    expect(await Promise.all(ids.map((id) => scenario.row(id)))).toEqual(before);
    expect(started.of("stale")).toEqual([]);
  });

  it("a pre-check that never settles meets the same limit", async () => {
    const log = new CallLog();
    const started = await scenario.start([
      log.handler({
        eventType: "PRECHECK",
        timeLimitMs: 50,
        retry: { maxRetryCount: 1 },
        preCheckSkip: () => new Promise(() => undefined),
      }),
    ]);
    const { id } = await started.enqueue({ eventType: "PRECHECK", bizKey: "k" });
    const row = await started.rowWhere(id, "fails", ({ status }) => status === "failed");
    expect(row.lastError).toContain("time limit of 50 ms");
    expect(log.calls).toEqual([]);
  });

  it("one that listens to its signal ends early and is told why", async () => {
    const reasons: string[] = [];
    const started = await scenario.start([
      new CallLog().handler({ eventType: "LISTENS", timeLimitMs: 50, retry: { maxRetryCount: 1 } }, async (_, ctx) => {
        await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
        reasons.push((ctx.signal.reason as Error).message);
        ctx.signal.throwIfAborted();
      }),
    ]);
    const { id } = await started.enqueue({ eventType: "LISTENS", bizKey: "k" });
    expect((await started.rowWhere(id, "fails", ({ status }) => status === "failed")).lastError).toContain(
      "time limit",
    );
    expect(reasons).toEqual(["the handler did not end within its time limit of 50 ms"]);
  });
});
