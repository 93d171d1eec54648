import type { TestDatabase } from "../db/testing/test-database.ts";

export type Mode =
  /** Only enqueue: nothing runs. */
  | "enqueue"
  /** New tasks run in this process right after their commit. */
  | "eager"
  /** Due tasks that lie in the table are run. */
  | "drain";

export interface OpenOptions {
  readonly mode: Mode;
  /** Handlers that run at once. */
  readonly concurrency: number;
  /** Connections of those who enqueue. */
  readonly connections: number;
  /** Called at the start of each handler. The promise is the handler's work. */
  readonly onTask: (seq: number) => Promise<void> | void;
}

/** One contestant at work in one database. */
export interface Running {
  /** One task in one transaction of its own; resolves when the commit is known. */
  enqueue(seq: number): Promise<void>;
  enqueueMany(seqs: readonly number[]): Promise<void>;
  /** Begins to run what is due, for `drain`. */
  work(): Promise<void>;
  close(): Promise<void>;
}

/** Somebody who does the same work in his own way, beside whom ours is measured. */
export interface Contestant {
  readonly name: string;
  readonly modes: readonly Mode[];
  /** Whether its tables are made by our migrations. */
  readonly migrated: boolean;
  setUp(test: TestDatabase): Promise<void>;
  /** Puts pending due tasks into the table, numbered from `from`. */
  preload(test: TestDatabase, from: number, count: number): Promise<void>;
  /** Makes finished rows that are kept, each with a key of its own. */
  fillFinished(test: TestDatabase, count: number): Promise<void>;
  /** Tasks that have not ended. */
  remaining(test: TestDatabase): Promise<number>;
  open(test: TestDatabase, options: OpenOptions): Promise<Running>;
  /** True for a statement that commits by itself; BEGIN and COMMIT are counted as what they are. */
  commitsItself(text: string): boolean;
}
