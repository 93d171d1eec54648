const SUBJECTS_MAX = 10_000;

/** At most so many events of one subject within a time, in this process. Keeps no more than 10,000 subjects. */
export class RateLimit {
  readonly #count: number;
  readonly #withinMs: number;
  readonly #nowMs: () => number;
  readonly #windows = new Map<string, { startedAtMs: number; count: number }>();

  constructor(options: { readonly count: number; readonly withinMs: number; readonly nowMs?: () => number }) {
    this.#count = options.count;
    this.#withinMs = options.withinMs;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  admits(subject: string): boolean {
    const nowMs = this.#nowMs();
    const known = this.#windows.get(subject);
    if (!known || nowMs - known.startedAtMs >= this.#withinMs) {
      if (this.#windows.size >= SUBJECTS_MAX) this.#windows.clear();
      this.#windows.set(subject, { startedAtMs: nowMs, count: 1 });
      return this.#count > 0;
    }
    known.count++;
    return known.count <= this.#count;
  }
}
