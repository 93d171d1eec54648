import type { Engine } from "../../worker/engine/index.ts";

export interface Percentiles {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

interface Commit {
  readonly commitSentAt: number;
  readonly committedAt: number;
}

const WAITING_MAX = 20_000;
const SAMPLES_MAX = 100_000;

/**
 * Measures, inside the process that creates the tasks, how soon their handlers start eagerly.
 *
 * `afterCommitMs` runs from the moment the code after `await engine.transaction(…)` goes on; a handler that starts
 * before that counts as 0. `fromCommitMs` runs from just before COMMIT is sent, so it holds the commit's own time too
 * and cannot look better than it is. Only eager starts count, whether they got a slot at once or waited for one.
 */
export class EagerStartTimes {
  readonly #commits = new Map<string, Commit>();
  readonly #starts = new Map<string, number>();
  readonly #afterCommitMs: number[] = [];
  readonly #fromCommitMs: number[] = [];

  /** Listens to the engine for as long as it lives. */
  constructor(engine: Pick<Engine, "on">) {
    engine.on("started", ({ id, isEager }) => {
      if (!isEager) return;
      remember(this.#starts, id, this.now());
      this.#match(id);
    });
  }

  /** Milliseconds that never step back. */
  now(): number {
    return performance.now();
  }

  /** Tells when the transaction that created the tasks was committed. */
  committed(taskIds: readonly string[], commit: Commit): void {
    for (const id of taskIds) {
      remember(this.#commits, id, commit);
      this.#match(id);
    }
  }

  summary(): { readonly eagerStartMs: Percentiles; readonly eagerStartAfterCommitMs: Percentiles } {
    return {
      eagerStartMs: percentiles(this.#fromCommitMs),
      eagerStartAfterCommitMs: percentiles(this.#afterCommitMs),
    };
  }

  #match(id: string): void {
    const startedAt = this.#starts.get(id);
    const commit = this.#commits.get(id);
    if (startedAt === undefined || commit === undefined) return;
    this.#starts.delete(id);
    this.#commits.delete(id);
    if (this.#afterCommitMs.length >= SAMPLES_MAX) return;
    this.#afterCommitMs.push(Math.max(0, startedAt - commit.committedAt));
    this.#fromCommitMs.push(Math.max(0, startedAt - commit.commitSentAt));
  }
}

/** Tasks that found no room here never start eagerly; the oldest are forgotten. */
function remember<Value>(map: Map<string, Value>, id: string, value: Value): void {
  map.set(id, value);
  const oldest = map.keys().next();
  if (map.size > WAITING_MAX && !oldest.done) map.delete(oldest.value);
}

function percentiles(samples: readonly number[]): Percentiles {
  const sorted = Float64Array.from(samples).sort();
  const at = (share: number): number => {
    const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
    return Math.round(value * 1_000) / 1_000;
  };
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
