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
/** From one look at everything to the next is this share of the poll interval, or longer by chance. */
const IDLE_SHARE_MIN = 0.9;
/**
 * A look at everything walks all entries that purge has not removed, and while somebody holds a snapshot these are many.
 * If the statements of its claim took longer than the first, it is not repeated for so many times as long, and at most for
 * the last, which is also the rest after one that failed.
 */
const SWEEP_MS_SLOW = 25;
const SWEEP_REST = 20;
const SWEEP_REST_MS_MAX = 2_000;
/**
 * What was put off for at least so long is due after the clock of every look before its commit, so that a look from there
 * finds it. Should its write have taken longer, the next look at everything does.
 */
const SURELY_AHEAD_MS = 1_000;

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
  /**
   * What was due before this was taken, or locked by others, when it was looked at; a scan from here walks no entries that
   * purge has yet to remove.
   */
  #seenUntil: string | undefined;
  /** When everything was looked at last, and from when on that may be done again before its time. */
  #lastSweepMs = Number.NEGATIVE_INFINITY;
  #restUntilMs = Number.NEGATIVE_INFINITY;
  #isPoked = false;
  #claimMs = 0;
  /** The look before found something due that it could not have. */
  #isBlocked = false;
  #dueAtMs = Number.POSITIVE_INFINITY;
  #cancelDue: () => void = () => undefined;

  constructor(parts: PollerParts, pool: EventTypePool) {
    super(`poller ${parts.eventType}`, parts.clock, parts.events);
    this.#parts = parts;
    this.#pool = pool;
    pool.onRoom = () => this.#roomChanged();
  }

  /** New work may be due now, with any due time: looks at everything at once, or from where it stands while that rests. */
  poke(): void {
    this.sweepNext();
    this.wake();
  }

  /** Something with an old due time is pending again, but not for this process now: the next look is one at everything. */
  sweepNext(): void {
    this.#isPoked = true;
  }

  /** A task of this type will be due in so long. One timer for the earliest: later ones are seen when that one is looked at. */
  dueIn(ms: number): void {
    const atMs = this.clock.monotonicMs() + ms;
    if (!this.isRunning || ms >= this.#parts.settings().pollIntervalMs || atMs >= this.#dueAtMs) return;
    this.#cancelDue();
    this.#dueAtMs = atMs;
    this.#cancelDue = this.clock.after(ms, () => {
      this.#dueAtMs = Number.POSITIVE_INFINITY;
      if (ms < SURELY_AHEAD_MS) this.poke();
      else this.wake();
    });
  }

  override async stop(): Promise<void> {
    this.#cancelDue();
    await super.stop();
  }

  override async runOnce(): Promise<number> {
    const holdOffMs = this.#parts.holdOffMs();
    if (holdOffMs > 0) return Math.min(holdOffMs, this.#idleMs());
    if (this.#pool.claimableRoom === 0) {
      this.#isWaitingForRoom = true;
      return this.#idleMs();
    }
    this.#isWaitingForRoom = false;
    if (this.#mustSweep()) return this.#sweep();
    // The first look at everything has failed: there is nowhere else to begin.
    if (this.#seenUntil === undefined) return Math.max(1, this.#restUntilMs - this.clock.monotonicMs());
    return this.#look(false);
  }

  #mustSweep(): boolean {
    const nowMs = this.clock.monotonicMs();
    const dueMs = this.#lastSweepMs + this.#parts.settings().pollIntervalMs * IDLE_SHARE_MIN;
    return nowMs >= this.#restUntilMs && (this.#isPoked || nowMs >= dueMs);
  }

  async #sweep(): Promise<number> {
    const from = this.#seenUntil;
    this.#seenUntil = undefined;
    this.#isPoked = false;
    this.#lastSweepMs = this.clock.monotonicMs();
    try {
      return await this.#look(true);
    } catch (error) {
      // It may have met the limit of a statement: those that begin where the one before it ended go on meanwhile.
      this.#seenUntil = from;
      this.#isPoked = true;
      this.#restUntilMs = this.clock.monotonicMs() + SWEEP_REST_MS_MAX;
      throw error;
    }
  }

  async #look(isSweep: boolean): Promise<number> {
    const { settings } = this.#parts;
    const limit = Math.min(this.#pool.claimableRoom, settings().batchSize, BATCH_ROWS_MAX);
    const lapses = this.#parts.lapses();
    const tasks = await this.#claim(limit);
    if (isSweep) {
      const restMs = this.#claimMs < SWEEP_MS_SLOW ? 0 : Math.min(SWEEP_REST_MS_MAX, this.#claimMs * SWEEP_REST);
      this.#restUntilMs = this.clock.monotonicMs() + restMs;
    }
    if (tasks.length > 0) {
      this.#isBlocked = false;
      this.events.emit("claimed", { eventType: this.#parts.eventType, count: tasks.length, limit });
      this.#parts.accept(tasks, lapses);
    }
    if (tasks.length === limit) {
      this.#pool.hasBacklog = true;
      this.#seenUntil = tasks.at(-1)?.nextRetryTime;
      return 0;
    }
    if (isSweep || !this.#isPoked) this.#pool.hasBacklog = false;
    return this.#waitForNext();
  }

  async #claim(limit: number): Promise<ClaimedTask[]> {
    const { database, claimer, eventType, held, health } = this.#parts;
    let claimed: ClaimedTask[] = [];
    try {
      await retryContention(() =>
        database.transaction(async (session) => {
          for (const task of claimed) held.remove(task);
          const startedMs = this.clock.monotonicMs();
          claimed = await claimDueTasks(session, claimer, { eventType, limit, dueFrom: this.#seenUntil });
          this.#claimMs = this.clock.monotonicMs() - startedMs;
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
    const { now, next } = await database.use((session) => nextDue(session, eventType, this.#seenUntil));
    if (next && next.inMs <= 0) {
      this.#seenUntil = next.at;
      // Due since a moment ago, or held by others: that shows at the second look.
      const waitMs = this.#isBlocked ? LOCKED_ROWS_WAIT_MS : 1;
      this.#isBlocked = true;
      return waitMs;
    }
    this.#isBlocked = false;
    // Not the next due time: what is put off from now on may be due before that.
    this.#seenUntil = now;
    const sweepAtMs = Math.max(this.#restUntilMs, this.#isPoked ? 0 : this.#lastSweepMs + this.#idleMs());
    return Math.max(1, Math.min(next?.inMs ?? Number.POSITIVE_INFINITY, sweepAtMs - this.clock.monotonicMs()));
  }

  #idleMs(): number {
    return this.#parts.settings().pollIntervalMs * (IDLE_SHARE_MIN + this.#parts.random() * (1 - IDLE_SHARE_MIN));
  }

  #roomChanged(): void {
    const maySweep = this.#isPoked && this.clock.monotonicMs() >= this.#restUntilMs;
    if ((this.#isWaitingForRoom || maySweep) && this.#pool.claimableRoom > 0) {
      this.#isWaitingForRoom = false;
      this.wake();
    }
  }
}
