import { describe, expect, it } from "vitest";
import { explainTask, type ExplainedTask, type ExplainedWorker, type TaskFacts } from "../../db/explain-task.ts";
import { explanationSentence } from "./explanation-sentence.ts";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const after = (ms: number) => new Date(NOW + ms);

const worker = (changes: Partial<ExplainedWorker> = {}): ExplainedWorker => ({
  owner: "host-1-abc",
  host: "host",
  pid: 1,
  isAlive: true,
  isDraining: false,
  eventTypes: ["PAY"],
  pools: { PAY: { concurrency: 4, running: 1, queued: 0 } },
  ...changes,
});

function factsOf(task: Partial<ExplainedTask> | undefined, changes: Partial<TaskFacts> = {}): TaskFacts {
  const dueInMs = task?.dueInMs ?? 0;
  return {
    id: "9007199254740993",
    task: task && {
      eventType: "PAY",
      status: "pending",
      statusCode: 0,
      retryCount: 0,
      maxRetryCount: 5,
      recycleCount: 0,
      nextRetryAt: after(dueInMs),
      dueInMs,
      owner: undefined,
      finishReason: undefined,
      startedAt: undefined,
      finishedAt: undefined,
      updatedAt: after(-60_000),
      ...task,
    },
    isPaused: false,
    pausedReason: undefined,
    pollIntervalMs: 10_000,
    workers: [worker()],
    recycleIntervalMs: 1_000,
    foreignAfterMs: 180_000,
    ...changes,
  };
}

const running = { status: "running", owner: "host-1-abc", startedAt: after(-90_000) } as const;
const full = { PAY: { concurrency: 4, running: 4, queued: 0 } };
const paused = { isPaused: true, pausedReason: "INC-7" };

const CASES: [string, TaskFacts, string, string][] = [
  [
    "no such row",
    factsOf(undefined),
    "not_live",
    "is neither in the live table nor in the archive: it never existed, or its day in the archive was purged.",
  ],
  [
    "archived",
    factsOf(undefined, {
      archived: { eventType: "PAY", status: "failed", statusCode: 2, finishedAt: after(-5), archivedAt: after(0) },
    }),
    "archived",
    "failed for good at 2026-03-01T11:59:59.995Z and was moved to the archive at 2026-03-01T12:00:00.000Z; replay it to run its work again as a new task.",
  ],
  [
    "archived by foreign code",
    factsOf(undefined, {
      archived: { eventType: "PAY", status: undefined, statusCode: 9, finishedAt: undefined, archivedAt: after(0) },
    }),
    "archived",
    "ended with the status 9 and was moved to the archive at 2026-03-01T12:00:00.000Z; replay it to run its work again as a new task.",
  ],
  [
    "succeeded",
    factsOf({ status: "succeeded", finishedAt: after(-5) }),
    "succeeded",
    "succeeded at 2026-03-01T11:59:59.995Z.",
  ],
  [
    "skipped",
    factsOf({ status: "succeeded", finishReason: "skipped", finishedAt: after(0) }),
    "succeeded",
    "succeeded at 2026-03-01T12:00:00.000Z without a run, because its work was done already.",
  ],
  [
    "succeeded by foreign code, which sets no time of its own",
    factsOf({ status: "succeeded" }),
    "succeeded",
    "succeeded at 2026-03-01T11:59:00.000Z.",
  ],
  [
    "cancelled",
    factsOf({ status: "cancelled", finishedAt: after(0) }),
    "cancelled",
    "was cancelled at 2026-03-01T12:00:00.000Z.",
  ],
  [
    "used up",
    factsOf({ status: "failed", finishReason: "exhausted", retryCount: 5, finishedAt: after(0) }),
    "failed",
    "failed for good at 2026-03-01T12:00:00.000Z because attempt 5 of 5 failed; reset it to run it again.",
  ],
  [
    "non retryable",
    factsOf({ status: "failed", finishReason: "non_retryable", finishedAt: after(0) }),
    "failed",
    "failed for good at 2026-03-01T12:00:00.000Z because its handler said that trying again is pointless; reset it to run it again.",
  ],
  [
    "abandoned",
    factsOf({ status: "failed", finishReason: "abandoned", recycleCount: 3, finishedAt: after(0) }),
    "failed",
    "failed for good at 2026-03-01T12:00:00.000Z because its worker died or was cut off 3 times while it ran; reset it to run it again.",
  ],
  [
    "failed by foreign code",
    factsOf({ status: "failed", retryCount: 5 }),
    "failed",
    "failed for good at 2026-03-01T11:59:00.000Z because of an unrecorded reason (5 of 5 attempts failed); reset it to run it again.",
  ],
  [
    "unknown status",
    factsOf({ status: undefined, statusCode: 9 }),
    "unknown_status",
    "has the status 9, which this version does not know; no worker touches it.",
  ],
  [
    "running",
    factsOf(running),
    "running",
    "is running for 1 m 30 s (since 2026-03-01T11:58:30.000Z) on host-1-abc (host, pid 1), which is alive.",
  ],
  [
    "running on a worker that drains",
    factsOf(running, { workers: [worker({ isDraining: true })] }),
    "running",
    "is running for 1 m 30 s (since 2026-03-01T11:58:30.000Z) on host-1-abc (host, pid 1), which is alive and shutting down once its tasks have ended.",
  ],
  [
    "dead owner",
    factsOf(running, { workers: [worker({ isAlive: false }), worker({ owner: "other" })] }),
    "owner_dead",
    "was running on host-1-abc, which is dead; it is recycled within 1 s.",
  ],
  [
    "dead owner and nobody to recycle",
    factsOf(running, { workers: [worker({ isAlive: false })] }),
    "owner_dead",
    "was running on host-1-abc, which is dead, and no living worker knows the type PAY to recycle it; start one.",
  ],
  [
    "foreign row",
    factsOf({ ...running, owner: undefined }),
    "owner_unknown",
    "is marked as running without an owner; if its row does not change, it is recycled within 2 m 1 s.",
  ],
  [
    "owner not registered",
    factsOf({ ...running, owner: "gone" }, { workers: [] }),
    "owner_unknown",
    "is marked as running on gone, which is not registered, and no living worker knows the type PAY to recycle it; start one.",
  ],
  [
    "delayed from the start",
    factsOf({ dueInMs: 300_000 }),
    "delayed",
    "is delayed until 2026-03-01T12:05:00.000Z (in 5 m).",
  ],
  [
    "delayed by a failure",
    factsOf({ dueInMs: 1, retryCount: 2 }),
    "delayed",
    "is delayed until 2026-03-01T12:00:00.001Z (in 1 ms) after failure 2 of 5.",
  ],
  [
    "delayed and paused",
    factsOf({ dueInMs: 10_000 }, paused),
    "delayed",
    "is delayed until 2026-03-01T12:00:10.000Z (in 10 s); as things are, it will not run then either: the type PAY is paused (INC-7).",
  ],
  ["paused", factsOf({}, paused), "paused", "is due, but the type PAY is paused (INC-7)."],
  [
    "paused without a reason and without workers",
    factsOf({}, { isPaused: true, workers: [] }),
    "paused",
    "is due, but the type PAY is paused (no reason given).",
  ],
  [
    "no worker at all",
    factsOf({}, { workers: [worker({ isAlive: false })] }),
    "no_worker",
    "is due, but no worker is alive.",
  ],
  [
    "E7: one worker, without the type",
    factsOf({}, { workers: [worker({ eventTypes: ["MAIL"] })] }),
    "no_worker",
    "is due, but the only living worker takes no tasks of the type PAY.",
  ],
  [
    "E7: workers without the type, or draining",
    factsOf({}, { workers: [worker({ eventTypes: [] }), worker({ isDraining: true })] }),
    "no_worker",
    "is due, but none of the 2 living workers takes tasks of the type PAY.",
  ],
  [
    "pool full",
    factsOf({}, { workers: [worker({ pools: full })] }),
    "pools_full",
    "is due, but the only pool of the type PAY is full (4 of 4 running).",
  ],
  [
    "pools full",
    factsOf(
      {},
      { workers: [worker({ pools: full }), worker({ pools: { PAY: { concurrency: 4, running: 2, queued: 2 } } })] },
    ),
    "pools_full",
    "is due, but all 2 pools of the type PAY are full (6 of 8 running).",
  ],
  [
    "one pool has room",
    factsOf({}, { workers: [worker({ pools: full }), worker()] }),
    "due",
    "is due now; a poller takes it within 10 s.",
  ],
  [
    "a worker has not reported yet",
    factsOf({}, { workers: [worker({ pools: {} })] }),
    "due",
    "is due now; a poller takes it within 10 s.",
  ],
  ["due for a while", factsOf({ dueInMs: -5_000 }), "due", "is due since 5 s; a poller takes it within 10 s."],
];

describe("explainTask", () => {
  it.each(CASES)("%s", (_, facts, code, sentence) => {
    const explanation = explainTask(facts);
    expect(explanation.code).toBe(code);
    expect(explanationSentence(explanation, (instant) => instant.toISOString())).toBe(
      `Task 9007199254740993 ${sentence}`,
    );
  });

  it("calls a task due at its very instant, and delayed a millisecond before", () => {
    expect(explainTask(factsOf({ dueInMs: 0 })).code).toBe("due");
    expect(explainTask(factsOf({ dueInMs: 1 })).code).toBe("delayed");
  });

  it("expects an unregistered owner's task to be recycled at once when its silence is long enough", () => {
    const explanation = explainTask(factsOf({ ...running, owner: "gone", updatedAt: after(-200_000) }));
    expect(explanation).toMatchObject({ code: "owner_unknown", params: { withinMs: 1_000 } });
  });
});
