import { startPostgres } from "./postgres.ts";
import { startRedis } from "./redis.ts";
import type { OwnServer, ServerKind } from "./server.ts";

type OwnKind = Exclude<ServerKind, "mysql">;

const START: Record<OwnKind, () => Promise<OwnServer | undefined>> = {
  postgres: startPostgres,
  redis: () => startRedis("always"),
  "redis-everysec": () => startRedis("everysec"),
};

/** A signal that would end this process at once ends it in order: what it started must not stay. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/** The servers that the chosen contestants need beside MySQL, started when they are first asked for. */
export class OwnServers {
  readonly #started = new Map<OwnKind, OwnServer | undefined>();
  readonly #onSignal = (signal: keyof typeof SIGNALS): never => process.exit(SIGNALS[signal]);

  constructor() {
    process.on("SIGINT", this.#onSignal).on("SIGTERM", this.#onSignal);
  }

  /** Its URL; undefined if its program is not on this machine. */
  async urlOf(kind: OwnKind): Promise<string | undefined> {
    if (!this.#started.has(kind)) this.#started.set(kind, await START[kind]());
    return this.#started.get(kind)?.url;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#started.values()].map((server) => server?.stop()));
    this.#started.clear();
    process.off("SIGINT", this.#onSignal).off("SIGTERM", this.#onSignal);
  }
}
