/** Where a row stands in an order: the values it is sorted by, and the id that decides between equals. */
export interface Position {
  readonly id: string;
  readonly key: readonly string[];
}

/** Gives the positions of a list one after another. Fewer than asked for means that the list has ended. */
export interface PositionSource {
  next(count: number): Promise<readonly Position[]>;
}

export interface Fetch<Branch> {
  readonly branch: Branch;
  readonly after: Position | undefined;
  readonly limit: number;
}

/** Branches that one call of `fetch` reads at most. */
export const BRANCHES_PER_FETCH = 64;

const FIRST_CHUNK_MIN = 4;
const CHUNK_MAX = 1_000;

class Stream<Branch> {
  readonly branch: Branch;
  buffer: Position[] = [];
  last: Position | undefined;
  hasEnded = false;
  chunk: number;

  constructor(branch: Branch, after: Position | undefined, chunk: number) {
    this.branch = branch;
    this.last = after;
    this.chunk = chunk;
  }
}

/**
 * Merges branches that are each sorted into one sorted list. Every branch is read a little ahead and read on, more each
 * time, only when its part is used up, together with others that are nearly so: of 500 branches a page of 50 takes a
 * few entries each, and a long read takes a few large ones.
 */
export class MergedPositions<Branch> implements PositionSource {
  readonly #compare: (a: Position, b: Position) => number;
  readonly #fetch: (wanted: readonly Fetch<Branch>[]) => Promise<readonly (readonly Position[])[]>;
  readonly #streams: readonly Stream<Branch>[];
  /** Streams with something buffered, the one with the first position on top. */
  readonly #heap: Stream<Branch>[] = [];
  #isStarted = false;

  constructor(parts: {
    readonly branches: readonly Branch[];
    readonly after: Position | undefined;
    /** How many positions will be asked for at first. */
    readonly expected: number;
    readonly compare: (a: Position, b: Position) => number;
    /** Per entry the next positions of its branch, in order; fewer than the limit: there are no more. */
    readonly fetch: (wanted: readonly Fetch<Branch>[]) => Promise<readonly (readonly Position[])[]>;
  }) {
    const { branches, expected } = parts;
    const share = branches.length === 1 ? expected : Math.ceil((expected * 2) / Math.max(1, branches.length));
    const chunk = Math.min(CHUNK_MAX, Math.max(share, Math.min(expected, FIRST_CHUNK_MIN)));
    this.#compare = parts.compare;
    this.#fetch = parts.fetch;
    this.#streams = branches.map((branch) => new Stream(branch, parts.after, chunk));
  }

  async next(count: number): Promise<readonly Position[]> {
    if (!this.#isStarted) {
      this.#isStarted = true;
      for (let start = 0; start < this.#streams.length; start += BRANCHES_PER_FETCH) {
        await this.#fill(this.#streams.slice(start, start + BRANCHES_PER_FETCH));
      }
    }
    const found: Position[] = [];
    while (found.length < count) {
      const first = this.#heap[0];
      const position = first?.buffer.shift();
      if (!first || !position) break;
      found.push(position);
      if (first.buffer.length > 0) this.#sink(0);
      else {
        this.#removeTop();
        if (!first.hasEnded) await this.#fill(this.#nearlyUsedUp(first));
      }
    }
    return found;
  }

  #nearlyUsedUp(emptied: Stream<Branch>): Stream<Branch>[] {
    return this.#streams
      .filter((one) => one === emptied || (!one.hasEnded && one.buffer.length * 2 <= one.chunk))
      .sort((a, b) => a.buffer.length - b.buffer.length)
      .slice(0, BRANCHES_PER_FETCH);
  }

  async #fill(streams: readonly Stream<Branch>[]): Promise<void> {
    const answers = await this.#fetch(
      streams.map(({ branch, last, chunk }) => ({ branch, after: last, limit: chunk })),
    );
    streams.forEach((stream, at) => {
      const positions = answers[at] ?? [];
      const wasEmpty = stream.buffer.length === 0;
      stream.buffer.push(...positions);
      stream.last = positions.at(-1) ?? stream.last;
      stream.hasEnded = positions.length < stream.chunk;
      stream.chunk = Math.min(CHUNK_MAX, stream.chunk * 2);
      if (wasEmpty && stream.buffer.length > 0) this.#insert(stream);
    });
  }

  #isBefore(a: Stream<Branch>, b: Stream<Branch>): boolean {
    const [first, second] = [a.buffer[0], b.buffer[0]];
    return first !== undefined && second !== undefined && this.#compare(first, second) < 0;
  }

  #insert(stream: Stream<Branch>): void {
    let at = this.#heap.push(stream) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  #removeTop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #sink(start: number): void {
    let at = start;
    for (;;) {
      const [left, right] = [this.#heap[2 * at + 1], this.#heap[2 * at + 2]];
      if (!left) return;
      const child = right && this.#isBefore(right, left) ? 2 * at + 2 : 2 * at + 1;
      if (!this.#swapIfBefore(child, at)) return;
      at = child;
    }
  }

  #swapIfBefore(child: number, parent: number): boolean {
    const [below, above] = [this.#heap[child], this.#heap[parent]];
    if (!below || !above || !this.#isBefore(below, above)) return false;
    this.#heap[child] = above;
    this.#heap[parent] = below;
    return true;
  }
}
