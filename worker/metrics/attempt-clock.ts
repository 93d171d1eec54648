import type { TaskEvent } from "../engine/events.ts";

/**
 * Measures attempts between their events. Holds at most `entriesMax` starts; beyond that the oldest are forgotten and
 * their attempts not measured.
 */
export class AttemptClock {
  readonly #startedMs = new Map<string, number>();
  readonly #entriesMax: number;
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number = () => performance.now(), entriesMax = 20_000) {
    this.#monotonicMs = monotonicMs;
    this.#entriesMax = entriesMax;
  }

  start(event: TaskEvent): void {
    if (this.#startedMs.size >= this.#entriesMax) {
      const oldest = this.#startedMs.keys().next();
      if (oldest.done !== true) this.#startedMs.delete(oldest.value);
    }
    this.#startedMs.set(keyOf(event), this.#monotonicMs());
  }

  /** Seconds since the attempt's start; undefined if it was not seen, has ended before, or is forgotten. */
  end(event: TaskEvent): number | undefined {
    const key = keyOf(event);
    const startedMs = this.#startedMs.get(key);
    if (startedMs === undefined) return undefined;
    this.#startedMs.delete(key);
    return (this.#monotonicMs() - startedMs) / 1_000;
  }
}

const keyOf = (event: TaskEvent): string => `${event.id}:${event.claimNo}`;
