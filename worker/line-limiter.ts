import type { Clock } from "./engine/clock.ts";

interface Window {
  startedMs: number;
  lines: number;
  suppressed: number;
}

/** Lets at most `linesMax` lines per key through in each `windowMs`, so that a flood of one kind fills no disk. */
export class LineLimiter {
  readonly #windows = new Map<string, Window>();
  readonly #clock: Pick<Clock, "monotonicMs">;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Undefined: say nothing. Else the number of lines of this key that were left out since the last one. */
  admit(key: string, limit: { readonly linesMax: number; readonly windowMs: number }): number | undefined {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#windows.get(key);
    if (!known || nowMs - known.startedMs >= limit.windowMs) {
      this.#forget();
      this.#windows.set(key, { startedMs: nowMs, lines: 1, suppressed: 0 });
      return known?.suppressed ?? 0;
    }
    if (known.lines >= limit.linesMax) {
      known.suppressed++;
      return undefined;
    }
    known.lines++;
    return 0;
  }

  /** Keys hold event types, which foreign rows may invent: the oldest go first. */
  #forget(): void {
    if (this.#windows.size < 1_000) return;
    const oldest = this.#windows.keys().next();
    if (oldest.done !== true) this.#windows.delete(oldest.value);
  }
}
