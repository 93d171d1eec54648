import type { Database } from "../../db/client.ts";
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
  await Promise.all([...parts.loops, ...runtimes.map(({ poller }) => poller)].map((loop) => loop.stop()));
  // From here on nothing enters the pools.
  const queued = runtimes.flatMap(({ pool }) => pool.takeQueued());
  const releasing = releaseInBatches(writer, queued);
  const reporting = parts.settings.report().catch(() => undefined);
  const running = runner.running;
  const idle = Promise.all(runtimes.map(({ pool }) => pool.whenIdle()));
  await withinMs(idle, graceMs, clock);
  const aborted = runner.abortAll("shutdown");
  await idle;
  const written = () => Promise.all([releasing, reporting, completions.flush(), writer.settle()]);
  await withinMs(written(), WRITE_MS_MAX, clock);
  writer.giveUp();
  await written();
  await parts.metrics.stop();
  await parts.metrics.flush().catch(() => undefined);
  await parts.liveness.stop().catch(() => undefined);
  await parts.database.close();
  return { finished: running - aborted, released: queued.length, aborted };
}

async function releaseInBatches(writer: ResultWriter, tasks: readonly ClaimedTask[]): Promise<void> {
  for (let start = 0; start < tasks.length; start += BATCH_ROWS_MAX) {
    await writer.release(tasks.slice(start, start + BATCH_ROWS_MAX), "shutdown");
  }
}

async function withinMs(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  let cancel: () => void = () => undefined;
  const limit = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  await Promise.race([work, limit]);
  cancel();
}
