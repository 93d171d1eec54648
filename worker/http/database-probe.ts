import type { Database } from "../../db/client.ts";
import { migrationState, type MigrationState } from "../../db/migrate/migration-state.ts";
import { systemClock, type Clock } from "../engine/clock.ts";

export type DatabaseProbeResult =
  | { readonly isReachable: true; readonly migrations: MigrationState }
  /** `error` is the error's code only: its text names hosts and users. */
  | { readonly isReachable: false; readonly error: string };

/** How long one answer is given again, in milliseconds. */
const FRESH_MS = 1_000;

/** Asks the database for its schema version, as often as health checks want to know and the database can bear. */
export class DatabaseProbe {
  readonly #database: Pick<Database, "use">;
  readonly #clock: Pick<Clock, "monotonicMs">;
  #last: { readonly result: Promise<DatabaseProbeResult>; readonly atMs: number } | undefined;

  /** @param database its timeouts bound one look. */
  constructor(database: Pick<Database, "use">, clock: Pick<Clock, "monotonicMs"> = systemClock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** One look at a time and at most one per second, however many health checks ask. Never rejects. */
  look(): Promise<DatabaseProbeResult> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#last === undefined || nowMs - this.#last.atMs >= FRESH_MS) {
      this.#last = { result: this.#ask(), atMs: nowMs };
    }
    return this.#last.result;
  }

  async #ask(): Promise<DatabaseProbeResult> {
    try {
      return { isReachable: true, migrations: await this.#database.use(migrationState) };
    } catch (error) {
      return { isReachable: false, error: String((error as { code?: unknown }).code ?? "unknown error") };
    }
  }
}
