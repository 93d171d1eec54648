import { BATCH_ROWS_MAX } from "../../db/queries/claim-tasks.ts";
import type { Clock } from "../engine/clock.ts";

/** Batches come so often at a pace that allows it, so that the work is spread and a pause is felt at once. */
const BATCHES_PER_SECOND = 2;
/** Time that was lost to slow batches and may be made good. */
const CREDIT_MS = 250;

/** How fast an action may go on: so many rows a second, changed at any time, or as fast as it can. */
export class BulkPace {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #ratePerSecond: number | undefined;
  #freeAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** From now on so many rows a second; undefined: no limit. What was spent at the old pace is weighed at the new one. */
  setRate(ratePerSecond: number | undefined): void {
    const old = this.#ratePerSecond;
    this.#ratePerSecond = ratePerSecond;
    if (ratePerSecond === undefined) this.#freeAtMs = Number.NEGATIVE_INFINITY;
    else if (old !== undefined && old !== ratePerSecond) {
      const leftMs = this.#freeAtMs - this.#clock.monotonicMs();
      if (leftMs > 0) this.#freeAtMs = this.#clock.monotonicMs() + (leftMs * old) / ratePerSecond;
    }
  }

  /** Rows of the next batch at most. */
  get batchRows(): number {
    if (this.#ratePerSecond === undefined) return BATCH_ROWS_MAX;
    return Math.max(1, Math.min(BATCH_ROWS_MAX, Math.ceil(this.#ratePerSecond / BATCHES_PER_SECOND)));
  }

  /** Milliseconds until the next batch may begin; 0 or less: now. */
  get waitMs(): number {
    return this.#freeAtMs - this.#clock.monotonicMs();
  }

  /** So many rows were dealt with. */
  spend(rows: number): void {
    if (this.#ratePerSecond === undefined) return;
    const earliest = this.#clock.monotonicMs() - CREDIT_MS;
    this.#freeAtMs = Math.max(earliest, this.#freeAtMs) + (rows * 1_000) / this.#ratePerSecond;
  }
}
