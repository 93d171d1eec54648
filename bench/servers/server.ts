/** What a contestant keeps its tasks in. MySQL and MariaDB are one kind: which it is, --url says. */
export type ServerKind = "mysql" | "postgres" | "redis" | "redis-everysec";

/** A server of the bench's own: in a temporary directory, on a free port, reached from this machine only. */
export interface OwnServer {
  readonly url: string;
  /** Stops it and removes its files. */
  stop(): Promise<void>;
}
