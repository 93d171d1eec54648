import type { ServerKind } from "./servers/server.ts";

export type Mode =
  /** Only enqueue: nothing runs. */
  | "enqueue"
  /** The same, many tasks a call. */
  | "enqueue-many"
  /** New tasks run in this process right after their commit. */
  | "eager"
  /** Due tasks that lie in the store are run. */
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

/** One contestant at work in one store. */
export interface Running {
  /** One task in one transaction of its own; resolves when the commit is known. */
  enqueue(seq: number): Promise<void>;
  enqueueMany(seqs: readonly number[]): Promise<void>;
  /** Begins to run what is due, for `drain`; until then nothing runs there. */
  work(): Promise<void>;
  close(): Promise<void>;
}

export interface Claim {
  readonly ms: number;
  /** Entries of indexes and rows that the server walked for it: the same on every machine. */
  readonly rowsRead: number;
  /** Where the same poller's next claim begins; left out: it looks at all again. */
  readonly until?: string | undefined;
}

/** One round of one contestant: a store of its own, its tables made and empty. */
export interface Entry {
  /** Where the store is; any process of this machine may `open` it. */
  readonly url: string;
  /** Server, version, durability: what a reader judges a figure by. */
  readonly conditions: Readonly<Record<string, unknown>>;
  /** Puts pending due tasks into the store, numbered from `from`. */
  preload(from: number, count: number): Promise<void>;
  /** Makes finished tasks that are kept. */
  fillFinished(count: number): Promise<void>;
  /** Tasks that have not ended. */
  remaining(): Promise<number>;
  /** One claim of due tasks as its poller makes it, then their success. @param from `until` of its claim before */
  claim?(limit: number, from?: string): Promise<Claim>;
  /** Drops the store. */
  leave(): Promise<void>;
}

/** Why a contestant cannot take part here: not installed, or not made for this server. */
export class LeftOut extends Error {}

/** Somebody who does the same work in his own way, beside whom ours is measured. */
export interface Contestant {
  readonly name: string;
  readonly modes: readonly Mode[];
  readonly server: ServerKind;
  /**
   * @param server URL of a server of its kind; undefined: the default one, for MySQL and MariaDB.
   * @throws LeftOut if it cannot take part there
   */
  enter(server: string | undefined): Promise<Entry>;
  open(store: string, options: OpenOptions): Promise<Running>;
  /** True for a statement that commits by itself; BEGIN and COMMIT are counted as what they are. Left out: not counted. */
  commitsItself?(text: string): boolean;
}
