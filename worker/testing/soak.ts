import type { TestDatabase } from "../../db/testing/test-database.ts";
import { ChildEngine } from "./child-engine.ts";
import { createServiceTables, statusCounts, whenAll } from "./task-facts.ts";

export interface SoakOptions {
  readonly seconds: number;
  /** Tasks per second. */
  readonly rate: number;
  /** Load before the first reading, so that code is compiled and pools are filled. */
  readonly warmUpSeconds: number;
}

export interface SoakReading {
  readonly heapBytes: number;
  /** What keeps the process alive, by kind. */
  readonly active: Readonly<Record<string, number>>;
}

export interface SoakReport {
  readonly tasks: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly slowestTransactionMs: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  readonly before: SoakReading;
  readonly after: SoakReading;
  readonly heapGrowth: number;
  readonly stderr: string;
}

const SLICE_SECONDS = 10;
const TASKS_EACH = 3;

/**
 * An embedded engine in a process of its own under a steady load of transactions, one task in three of which fails once;
 * its heap, collected, before and after.
 */
export async function soak(test: TestDatabase, options: SoakOptions): Promise<SoakReport> {
  await createServiceTables(test);
  const quiet = ["call", "enqueued", "claimed", "started", "succeeded", "rejected", "released", "rescheduled"];
  const retry = { strategy: "FIXED" as const, firstIntervalSeconds: 1, maxRetryCount: 3 };
  const common = { concurrency: 16, pollIntervalMs: 1_000, retry };
  const child = await ChildEngine.start(
    {
      url: test.url,
      serviceConnections: 8,
      quiet,
      types: [
        { eventType: "GOOD", ...common, steps: [{ do: "sleep", ms: 1 }] },
        { eventType: "ONCE", ...common, steps: [{ do: "failOnce" }] },
      ],
    },
    ["--expose-gc"],
  );
  try {
    await load(test, child, "warm", options.warmUpSeconds, options.rate);
    const before = await read(child);
    const startedMs = performance.now();
    const total = await load(test, child, "soak", options.seconds, options.rate);
    const seconds = (performance.now() - startedMs) / 1_000;
    const after = await read(child);
    return {
      ...total,
      seconds: Math.round(seconds * 10) / 10,
      perSecond: Math.round(total.tasks / seconds),
      statuses: await statusCounts(test),
      before,
      after,
      heapGrowth: Math.round((after.heapBytes / before.heapBytes - 1) * 1_000) / 1_000,
      stderr: child.stderr.join(""),
    };
  } finally {
    await child.kill();
  }
}

async function load(
  test: TestDatabase,
  child: ChildEngine,
  name: string,
  seconds: number,
  rate: number,
): Promise<Pick<SoakReport, "tasks" | "errors" | "slowestTransactionMs">> {
  let tasks = 0;
  let slowestTransactionMs = 0;
  const errors: Record<string, number> = {};
  for (let done = 0; done < seconds; done += SLICE_SECONDS) {
    const sliceSeconds = Math.min(SLICE_SECONDS, seconds - done);
    const result = await child.load({
      prefix: `${name}-${done}`,
      eventTypes: ["GOOD", "GOOD", "ONCE"],
      transactions: Math.round((sliceSeconds * rate) / TASKS_EACH),
      tasksEach: TASKS_EACH,
      atOnce: 8,
      perSecond: rate / TASKS_EACH,
    });
    tasks += result.tasks;
    slowestTransactionMs = Math.max(slowestTransactionMs, Math.round(result.slowestMs));
    for (const [error, count] of Object.entries(result.errors)) errors[error] = (errors[error] ?? 0) + count;
  }
  await whenAll(test, ["succeeded"], { timeoutMs: 60_000 });
  return { tasks, errors, slowestTransactionMs };
}

async function read(child: ChildEngine): Promise<SoakReading> {
  const { heapBytes, active } = await child.resources();
  const kinds: Record<string, number> = {};
  for (const kind of active) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return { heapBytes, active: kinds };
}
