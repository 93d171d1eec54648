import { createServer } from "node:net";

/** What a contestant keeps its tasks in. MySQL and MariaDB are one kind: which it is, --url says. */
export type ServerKind = "mysql" | "postgres" | "redis" | "redis-everysec";

/** A server of the bench's own: in a temporary directory, on a free port, reached from this machine only. */
export interface OwnServer {
  readonly url: string;
  /** Stops it and removes its files. */
  stop(): Promise<void>;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === "string") reject(new Error("no free port"));
        else resolve(address.port);
      });
    });
  });
}
