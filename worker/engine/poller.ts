import type { Database } from "../../db/client.ts";
import { retryContention } from "../../db/client.ts";
import { crashPoint } from "../../db/crash-points.ts";
import type { EventTypeSettings } from "../../db/event-type-settings.ts";
import { BATCH_ROWS_MAX, type Claimer, claimDueTasks, type ClaimedTask } from "../../db/queries/claim-tasks.ts";
import { nextDue } from "../../db/queries/due-times.ts";
import type { Clock } from "./clock.ts";
import type { DatabaseHealth } from "./database-health.ts";
import type { EngineEvents } from "./events.ts";
import type { EventTypePool } from "./event-type-pool.ts";
import type { HeldClaims } from "./held-claims.ts";
import { Loop } from "./loop.ts";

/** Rows that are due but held by another session are looked at again after so long. */
const LOCKED_ROWS_WAIT_MS = 20;
/** An idle wait is this share of the poll interval, or longer by chance; each look after one starts from the beginning. */
const IDLE_SHARE_MIN = 0.9;

export interface PollerParts {
  readonly eventType: string;
  readonly claimer: Claimer;
  readonly database: Database;
  readonly held: HeldClaims;
  readonly health: DatabaseHealth;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly random: () => number;
  readonly settings: () => EventTypeSettings;
  /** 0: may claim. Else how long to hold off, in milliseconds: paused, cut off, or results are written too slowly. */
  readonly holdOffMs: () => number;
  /** How often this process has been cut off so far. */
  readonly lapses: () => number;
  /** Takes over tasks that were claimed under such a count; those it cannot run now it gives back itself. */
  readonly accept: (tasks: readonly ClaimedTask[], lapses: number) => void;
}

/**
 * The backstop of one event type: claims due tasks for the room its pool has, at once again while batches are full, then
 * sleeps until the earliest known due time or the poll interval. Its own query, so a flooded type delays no other.
 */
export class Poller extends Loop {
  readonly #parts: PollerParts;
  readonly #pool: EventTypePool;
  #isWaitingForRoom = false;
  /** Everything due before this is known to be taken; a scan from here walks no entries that purge has yet to remove. */
  #seenUntil: string | undefined;
  #lastSweepMs = Number.NEGATIVE_INFINITY;
  #dueAtMs = Number.POSITIVE_INFINITY;
  #cancelDue: () => void = () => undefined;

  constructor(parts: PollerParts, pool: EventTypePool) {
    super(`poller ${parts.eventType}`, parts.clock, parts.events);
    this.#parts = parts;
    this.#pool = pool;
    pool.onRoom = () => this.#roomChanged();
  }

  /** New work may be due now, with any due time: sweep from the start. */
  poke(): void {
    this.#seenUntil = undefined;
    this.wake();
  }

  /** A task of this type will be due in so long. One timer for the earliest: later ones are seen when that one is looked at. */
  dueIn(ms: number): void {
    const atMs = this.clock.monotonicMs() + ms;
    if (this.isStopping || ms >= this.#parts.settings().pollIntervalMs || atMs >= this.#dueAtMs) return;
    this.#cancelDue();
    this.#dueAtMs = atMs;
    this.#cancelDue = this.clock.after(ms, () => {
      this.#dueAtMs = Number.POSITIVE_INFINITY;
      // It may be due before what was the next known: a look that starts from there would not see it.
      this.poke();
    });
  }

  override async stop(): Promise<void> {
    this.#cancelDue();
    await super.stop();
  }

  override async runOnce(): Promise<number> {
    const { settings } = this.#parts;
    const holdOffMs = this.#parts.holdOffMs();
    if (holdOffMs > 0) return Math.min(holdOffMs, this.#idleMs());
    const room = this.#pool.claimableRoom;
    if (room === 0) {
      this.#isWaitingForRoom = true;
      return this.#idleMs();
    }
    this.#isWaitingForRoom = false;
    const sweepDueMs = this.#lastSweepMs + settings().pollIntervalMs * IDLE_SHARE_MIN;
    if (this.clock.monotonicMs() >= sweepDueMs) this.#seenUntil = undefined;
    if (this.#seenUntil === undefined) this.#lastSweepMs = this.clock.monotonicMs();
    const limit = Math.min(room, settings().batchSize, BATCH_ROWS_MAX);
    const lapses = this.#parts.lapses();
    const tasks = await this.#claim(limit);
    if (tasks.length > 0) {
      this.events.emit("claimed", { eventType: this.#parts.eventType, count: tasks.length, limit });
      this.#parts.accept(tasks, lapses);
    }
    if (tasks.length === limit) {
      this.#pool.hasBacklog = true;
      this.#seenUntil = tasks.at(-1)?.nextRetryTime;
      return 0;
    }
    this.#pool.hasBacklog = false;
    return this.#waitForNext();
  }

  async #claim(limit: number): Promise<ClaimedTask[]> {
    const { database, claimer, eventType, held, health } = this.#parts;
    let claimed: ClaimedTask[] = [];
    try {
      await retryContention(() =>
        database.transaction(async (session) => {
          for (const task of claimed) held.remove(task);
          claimed = await claimDueTasks(session, claimer, { eventType, limit, dueFrom: this.#seenUntil });
          // Known before COMMIT is sent: the self-check must never take a fresh claim for a forgotten one.
          for (const task of claimed) held.add(task);
          if (claimed.length > 0) crashPoint("claim.changed");
        }),
      );
      if (claimed.length > 0) crashPoint("claim.committed");
      return claimed;
    } catch (error) {
      // If only the answer to COMMIT was lost, the rows are this owner's and in nobody's memory: the self-check finds them.
      for (const task of claimed) held.remove(task);
      health.noteError(error);
      throw error;
    }
  }

  async #waitForNext(): Promise<number> {
    const { database, eventType } = this.#parts;
    const next = await database.use((session) => nextDue(session, eventType, this.#seenUntil));
    if (!next) return this.#idleMs();
    this.#seenUntil ??= next.at;
    if (next.inMs <= 0) {
      this.#seenUntil = undefined;
      return LOCKED_ROWS_WAIT_MS;
    }
    return Math.min(next.inMs, this.#idleMs());
  }

  #idleMs(): number {
    return this.#parts.settings().pollIntervalMs * (IDLE_SHARE_MIN + this.#parts.random() * (1 - IDLE_SHARE_MIN));
  }

  #roomChanged(): void {
    if (this.#isWaitingForRoom && this.#pool.claimableRoom > 0) {
      this.#isWaitingForRoom = false;
      this.wake();
    }
  }
}
