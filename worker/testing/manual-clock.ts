import type { Clock } from "../engine/clock.ts";

interface Alarm {
  readonly atMs: number;
  readonly ring: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #nowMs = 1_000;
  readonly #alarms = new Set<Alarm>();

  monotonicMs(): number {
    return this.#nowMs;
  }

  /** The waits that are going on, shortest first, in milliseconds from now. */
  get waitsMs(): number[] {
    return [...this.#alarms].map(({ atMs }) => atMs - this.#nowMs).sort((one, other) => one - other);
  }

  after(ms: number, action: () => void): () => void {
    const alarm: Alarm = { atMs: this.#nowMs + Math.max(0, ms), ring: action };
    this.#alarms.add(alarm);
    return () => void this.#alarms.delete(alarm);
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const cancel = this.after(ms, resolve);
      signal.addEventListener("abort", () => {
        cancel();
        resolve();
      });
    });
  }

  /** Moves time on, rings what falls due in order, and lets everything that follows from it run. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#alarms]
        .filter(({ atMs }) => atMs <= untilMs)
        .sort((one, other) => one.atMs - other.atMs);
      if (!next) break;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      this.#alarms.delete(next);
      next.ring();
      await settled();
    }
    this.#nowMs = untilMs;
    await settled();
  }
}

/** Resolves when every promise that could go on without time passing has done so. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
