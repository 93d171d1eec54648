import type { Database } from "../../db/client.ts";
import { crashPoint } from "../../db/crash-points.ts";
import { BATCH_ROWS_MAX, type ClaimedTask } from "../../db/queries/claim-tasks.ts";
import type { Clock } from "./clock.ts";
import type { CompletionBuffer } from "./completion-buffer.ts";
import type { StopReport } from "./engine-api.ts";
import type { EventTypeRuntime } from "./event-type-runtime.ts";
import type { Liveness } from "./liveness.ts";
import type { Loop } from "./loop.ts";
import type { MetricsRecorder } from "./metrics-recorder.ts";
import type { ResultWriter } from "./result-writer.ts";
import type { Runner } from "./runner.ts";
import type { SettingsSync } from "./settings-sync.ts";

/** After the grace time, results are written for at most so long; then the rest is left to recycling. */
const WRITE_MS_MAX = 5_000;
/** Loops that are in the middle of a pass are waited for at most so long. */
const LOOPS_MS_MAX = 2_000;
/** The last counts, and the farewell to the registry, each at most. */
const DEREGISTER_MS_MAX = 2_000;

export interface ShutdownParts {
  readonly types: ReadonlyMap<string, EventTypeRuntime>;
  readonly loops: readonly Loop[];
  readonly settings: SettingsSync;
  readonly runner: Runner;
  readonly writer: ResultWriter;
  readonly completions: CompletionBuffer;
  readonly metrics: MetricsRecorder;
  readonly liveness: Liveness;
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Ends an engine that takes no new work any more: gives back what has not begun, waits for what runs, aborts the rest,
 * writes every result, and only then stops to be alive, so that nobody takes its tasks while it drains.
 */
export async function shutDown(parts: ShutdownParts, graceMs: number): Promise<StopReport> {
  const { types, runner, writer, completions, clock } = parts;
  const runtimes = [...types.values()];
  const endedBefore = runner.ended;
  const stopped = Promise.all([...parts.loops, ...runtimes.map(({ poller }) => poller)].map((loop) => loop.stop()));
  // A pass that hangs in a database that is away holds nothing up: what it still claims is given back, not run.
  await withinMs(stopped, LOOPS_MS_MAX, clock);
  crashPoint("shutdown.begun");
  const queued = runtimes.flatMap(({ pool }) => pool.takeQueued());
  const releasing = releaseInBatches(writer, queued);
  const reporting = parts.settings.report().catch(() => undefined);
  const idle = Promise.all(runtimes.map(({ pool }) => pool.whenIdle()));
  await withinMs(idle, graceMs, clock);
  crashPoint("shutdown.waited");
  const aborted = runner.abortAll("shutdown");
  await idle;
  const finished = runner.ended - endedBefore - aborted;
  const written = Promise.all([stopped, releasing, reporting, completions.flush(), writer.settle()]);
  await withinMs(written, WRITE_MS_MAX, clock);
  crashPoint("shutdown.written");
  writer.giveUp();
  const deregistered = written.then(async () => {
    await parts.metrics.stop();
    await parts.metrics.flush().catch(() => undefined);
  });
  await withinMs(deregistered, DEREGISTER_MS_MAX, clock);
  await withinMs(
    parts.liveness.stop().catch(() => undefined),
    DEREGISTER_MS_MAX,
    clock,
  );
  crashPoint("shutdown.left");
  await parts.database.close();
  return { finished, released: queued.length, aborted };
}

async function releaseInBatches(writer: ResultWriter, tasks: readonly ClaimedTask[]): Promise<void> {
  for (let start = 0; start < tasks.length; start += BATCH_ROWS_MAX) {
    await writer.release(tasks.slice(start, start + BATCH_ROWS_MAX), "shutdown");
  }
  crashPoint("shutdown.returned");
}

async function withinMs(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  let cancel: () => void = () => undefined;
  const limit = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  await Promise.race([work, limit]);
  cancel();
}
