import { classifyDatabaseError, isOutage } from "../../db/mysql-errors.ts";
import type { Clock } from "./clock.ts";
import type { EngineEvents } from "./events.ts";

/** What the engine's own statements say about the database: usable, read-only, or away since when. */
export class DatabaseHealth {
  readonly #clock: Clock;
  readonly #events: EngineEvents;
  #troubleSinceMs: number | undefined;
  #lastTroubleMs = Number.NEGATIVE_INFINITY;
  #lastError: string | undefined;
  #isReadOnly = false;

  constructor(clock: Clock, events: EngineEvents) {
    this.#clock = clock;
    this.#events = events;
  }

  /** Tells of an error of one of the engine's statements; errors that are no outage are ignored. */
  noteError(error: unknown): void {
    if (!isOutage(error)) return;
    const now = this.#clock.monotonicMs();
    this.#lastTroubleMs = now;
    this.#lastError = error instanceof Error ? error.message : String(error);
    this.#isReadOnly = classifyDatabaseError(error) === "read_only";
    if (this.#troubleSinceMs === undefined) {
      this.#troubleSinceMs = now;
      this.#events.emit("outage", { error });
    }
  }

  /** Tells of a write that the database has confirmed. */
  noteSuccess(): void {
    if (this.#troubleSinceMs === undefined) return;
    const afterMs = this.#clock.monotonicMs() - this.#troubleSinceMs;
    this.#troubleSinceMs = undefined;
    this.#isReadOnly = false;
    this.#events.emit("recovered", { afterMs });
  }

  get isInTrouble(): boolean {
    return this.#troubleSinceMs !== undefined;
  }

  get isReadOnly(): boolean {
    return this.#isReadOnly;
  }

  get lastError(): string | undefined {
    return this.#troubleSinceMs === undefined ? undefined : this.#lastError;
  }

  /** True if one of the engine's own statements met an outage within the last `ms`. */
  hadTroubleWithin(ms: number): boolean {
    return this.#clock.monotonicMs() - this.#lastTroubleMs <= ms;
  }
}
