import { BATCH_ROWS_MAX, type ClaimedTask } from "../../db/queries/claim-tasks.ts";
import type { Clock } from "./clock.ts";

/** A success that waits to be written. */
export interface Completion {
  readonly task: ClaimedTask;
  readonly reason: "success" | "skipped";
  readonly durationMs: number;
}

/** Successes not yet written at which pools stop claiming: the database is slower than the handlers. */
export const COMPLETION_BACKLOG_MAX = 10 * BATCH_ROWS_MAX;

/**
 * Collects successes and writes them together: at most 200 at a time, none older than a few milliseconds before its
 * statement is sent, one statement under way. What arrives meanwhile makes up the next batch.
 */
export class CompletionBuffer {
  readonly #write: (batch: readonly Completion[]) => Promise<void>;
  readonly #delayMs: number;
  readonly #clock: Clock;
  #waiting: Completion[] = [];
  /** When the longest waiting one came; at latest, after a batch has taken those before it. */
  #oldestMs = 0;
  #writing: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;

  /** @param write stores one batch and settles only when each of its tasks has a verdict; never rejects. */
  constructor(write: (batch: readonly Completion[]) => Promise<void>, delayMs: number, clock: Clock) {
    this.#write = write;
    this.#delayMs = delayMs;
    this.#clock = clock;
  }

  add(completion: Completion): void {
    if (this.#waiting.push(completion) === 1) this.#oldestMs = this.#clock.monotonicMs();
    if (!this.#writing) this.#writeSoon();
  }

  /** Successes that no statement has been sent for. */
  get backlog(): number {
    return this.#waiting.length;
  }

  /** Writes everything that is here now and resolves when it is written. */
  async flush(): Promise<void> {
    while (this.#writing || this.#waiting.length > 0) {
      if (!this.#writing) this.#writeAll();
      await this.#writing;
    }
  }

  /** A full batch at once, another as soon as its oldest has waited for so long. */
  #writeSoon(): void {
    if (this.#waiting.length === 0) return;
    const waitMs = this.#oldestMs + this.#delayMs - this.#clock.monotonicMs();
    if (this.#waiting.length >= BATCH_ROWS_MAX || waitMs <= 0) this.#writeAll();
    else this.#cancelTimer ??= this.#clock.after(waitMs, () => this.#writeAll());
  }

  #writeAll(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#writing || this.#waiting.length === 0) return;
    const batch = this.#waiting.splice(0, BATCH_ROWS_MAX);
    this.#writing = this.#write(batch).finally(() => {
      this.#writing = undefined;
      this.#writeSoon();
    });
  }
}
