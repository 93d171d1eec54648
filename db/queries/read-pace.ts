/** The longest time that one read should take, so that the budget is overrun by no more than that. */
const READ_MS = 20;
const ROWS_MIN = 20;

/** How long rows may be looked at, and by which clock. */
export interface LookTime {
  /** No read is begun after so many milliseconds. */
  readonly budgetMs: number;
  /** A clock of milliseconds that never goes back. */
  readonly nowMs: () => number;
}

export interface ReadPaceParts extends LookTime {
  /** Rows of the first read, which is made whatever the time: every page comes further than the one before it. */
  readonly firstRows: number;
  /** Rows that one read looks at, at most. */
  readonly rowsMax: number;
  /** True: nobody waits for the answer any more. */
  readonly isGivenUp?: (() => boolean) | undefined;
}

/**
 * Shares a time among reads of rows of which nobody knows the price: from memory 200 take 1 ms, from a slow disk one row
 * may take as long. Each read is as large as the time allows by the price of the one before, and at most twice as large.
 */
export class ReadPace {
  readonly #parts: ReadPaceParts;
  readonly #endsAtMs: number;
  #begun: { readonly rows: number; readonly atMs: number } | undefined;

  constructor(parts: ReadPaceParts) {
    this.#parts = parts;
    this.#endsAtMs = parts.nowMs() + parts.budgetMs;
  }

  /** How many rows the next read may look at, which begins now; 0: it is time to end. */
  next(): number {
    const { firstRows, rowsMax, nowMs, isGivenUp } = this.#parts;
    const atMs = nowMs();
    const rows =
      this.#begun === undefined ? Math.min(firstRows, rowsMax) : this.#rowsWithin(this.#endsAtMs - atMs, atMs);
    if (this.#begun !== undefined && (rows === 0 || isGivenUp?.() === true)) return 0;
    this.#begun = { rows, atMs };
    return rows;
  }

  #rowsWithin(leftMs: number, atMs: number): number {
    if (leftMs <= 0 || this.#begun === undefined) return 0;
    const rowMs = (atMs - this.#begun.atMs) / this.#begun.rows;
    const affordable = Math.floor(Math.min(READ_MS, leftMs) / Math.max(rowMs, Number.EPSILON));
    return Math.min(this.#parts.rowsMax, 2 * this.#begun.rows, Math.max(ROWS_MIN, affordable));
  }
}
