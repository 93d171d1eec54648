interface Read {
  readonly answer: Promise<unknown>;
  /** When it stops being shared; until it has arrived it is shared by all. */
  expiresAtMs: number;
}

/** For how much longer a read that took long is kept: so many times what it took, and no longer than `maxMs`. */
export interface KeptByCost {
  readonly timesCost: number;
  readonly maxMs: number;
}

/**
 * Reads that many people ask for at once: whoever asks while one is on its way waits for that one, and for `keptMs` after
 * it arrived gets its answer. Fifty open dashboards cost the database as much as one. A failed read is not kept.
 */
export class SharedReads {
  readonly #keptMs: number;
  readonly #nowMs: () => number;
  readonly #reads = new Map<string, Read>();

  constructor(keptMs: number, nowMs: () => number = () => performance.now()) {
    this.#keptMs = keptMs;
    this.#nowMs = nowMs;
  }

  /** `key` names the read and all that its answer depends on. */
  read<Answer>(key: string, load: () => Promise<Answer>, byCost?: KeptByCost): Promise<Answer> {
    this.#forgetExpired();
    const known = this.#reads.get(key);
    if (known) return known.answer as Promise<Answer>;
    const askedAtMs = this.#nowMs();
    const answer = load();
    const read: Read = { answer, expiresAtMs: Number.POSITIVE_INFINITY };
    this.#reads.set(key, read);
    answer.then(
      () => (read.expiresAtMs = this.#nowMs() + this.#keptMsAfter(this.#nowMs() - askedAtMs, byCost)),
      () => this.#forget(key, read),
    );
    return answer;
  }

  /** For a person who asks for fresh numbers: nobody gets one that has already arrived. */
  forgetArrived(): void {
    for (const [key, { expiresAtMs }] of this.#reads) {
      if (expiresAtMs !== Number.POSITIVE_INFINITY) this.#reads.delete(key);
    }
  }

  #keptMsAfter(tookMs: number, byCost: KeptByCost | undefined): number {
    return byCost ? Math.max(this.#keptMs, Math.min(byCost.maxMs, tookMs * byCost.timesCost)) : this.#keptMs;
  }

  #forget(key: string, read: Read): void {
    if (this.#reads.get(key) === read) this.#reads.delete(key);
  }

  /** After a change: nobody who asks from now on gets an answer that was asked before it. */
  forgetAll(): void {
    this.#reads.clear();
  }

  #forgetExpired(): void {
    const nowMs = this.#nowMs();
    for (const [key, { expiresAtMs }] of this.#reads) {
      if (expiresAtMs <= nowMs) this.#reads.delete(key);
    }
  }
}

/** Route handlers may be bundled apart from one another; what they share is kept where all of them find it. */
const shared = globalThis as typeof globalThis & { redriveSharedReads?: SharedReads };

const KEPT_MS = 5_000;

/** The shared reads of this process. */
export function sharedReads(): SharedReads {
  shared.redriveSharedReads ??= new SharedReads(KEPT_MS);
  return shared.redriveSharedReads;
}
