import type { Clock } from "./clock.ts";

/** The database's time between two looks at it, carried on by the monotonic clock; steps of the host's clock do not show. */
export class DatabaseClock {
  readonly #clock: Clock;
  #baseMs = Date.now();
  #baseMonotonicMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#baseMonotonicMs = clock.monotonicMs();
  }

  /** The database said `now` in answer to a question sent at `askedAtMs` of the monotonic clock. */
  set(now: Date, askedAtMs: number): void {
    this.#baseMs = now.getTime();
    this.#baseMonotonicMs = askedAtMs;
  }

  nowMs(): number {
    return this.#baseMs + (this.#clock.monotonicMs() - this.#baseMonotonicMs);
  }
}
