import type { Database } from "../../db/client.ts";
import { holdLease, releaseLease } from "../../db/queries/leases.ts";
import type { Clock } from "../engine/clock.ts";
import type { EngineEvents } from "../engine/events.ts";
import type { Logger } from "../engine/index.ts";
import { Loop } from "../engine/loop.ts";
import { LineLimiter } from "../line-limiter.ts";
import type { OnArchiveStep } from "./archive-mover.ts";
import type { ArchivePace } from "./archive-pace.ts";
import { type ArchiveReport, runArchive } from "./archive-run.ts";
import type { HistoryMeter } from "./history-meter.ts";

const LEASE = "archiver";
/** A dead holder is followed after this and one look more: well within half a minute. */
const LEASE_MS = 15_000;
const RENEW_MS = 3_000;
const LOOK_MS = 10_000;
/** Days ahead and late history entries are seen to this often. */
const UPKEEP_MS = 600_000;
/** A task that could not be moved is tried again after this; the same finding is logged as often. */
const STUCK_MS = 600_000;
const STUCK_MAX = 10_000;
/** A pass that takes so long and has not ended moves less than what becomes ripe. */
const BEHIND_MS = 3_600_000;

const BEHIND =
  "the archiver has been at work for more than an hour without an end; where that goes on, raise REDRIVE_ARCHIVE_ROWS_PER_SECOND";

export interface ArchiverParts {
  readonly database: Database;
  readonly owner: string;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly log: Logger;
  readonly pace: ArchivePace;
  readonly meter?: HistoryMeter;
  readonly onStep?: OnArchiveStep;
}

/**
 * Moves tasks that ended long enough ago to the archive. One process does it for all, elected by a lease row; another
 * takes over within half a minute of its death. Two at once, should it come to that, move each task once all the same.
 */
export class Archiver extends Loop {
  readonly #parts: ArchiverParts;
  readonly #stuckUntilMs = new Map<string, number>();
  readonly #limiter: LineLimiter;
  #renewedMs = Number.NEGATIVE_INFINITY;
  #upkeepMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ArchiverParts) {
    super("archiver", parts.clock, parts.events);
    this.#parts = parts;
    this.#limiter = new LineLimiter(parts.clock);
  }

  override async runOnce(): Promise<number> {
    const { database, owner, pace, events } = this.#parts;
    const nowMs = this.clock.monotonicMs();
    if (!(await this.#hold())) return LOOK_MS;
    const withUpkeep = nowMs - this.#upkeepMs >= UPKEEP_MS;
    let pause: string | undefined;
    const report = await runArchive({
      database,
      clock: this.clock,
      pace,
      countedAs: owner,
      signal: this.stopSignal,
      mayContinue: () => this.#hold(),
      isStuck: (id) => (this.#stuckUntilMs.get(id) ?? 0) > nowMs,
      withUpkeep,
      onMoved: (eventType, tasks) => this.#parts.meter?.archived(eventType, tasks),
      onStep: this.#parts.onStep,
      onError: (what, error) => events.emit("loopError", { loop: `archiver: ${what}`, error }),
      onProgress: (progress) => {
        if (progress.pause !== undefined && progress.pause !== pause) {
          this.#tell("pause", () => this.#parts.log.warn({ reason: progress.pause }, "the archiver pauses"));
        }
        pause = progress.pause;
        if (this.clock.monotonicMs() - nowMs >= BEHIND_MS) {
          this.#tell("behind", () => this.#parts.log.warn({ tasks: progress.tasks }, BEHIND), BEHIND_MS);
        }
      },
    });
    if (withUpkeep) this.#upkeepMs = nowMs;
    this.#tellOf(report);
    return LOOK_MS;
  }

  override async stop(): Promise<void> {
    await super.stop();
    const { database, owner } = this.#parts;
    await database.use((session) => releaseLease(session, { name: LEASE, owner })).catch(() => undefined);
  }

  /** True while the lease is this process's; asks the database every few seconds only. */
  async #hold(): Promise<boolean> {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.#renewedMs < RENEW_MS) return true;
    const { database, owner } = this.#parts;
    const isHeld = await database.use((session) => holdLease(session, { name: LEASE, owner, leaseMs: LEASE_MS }));
    this.#renewedMs = isHeld ? nowMs : Number.NEGATIVE_INFINITY;
    return isHeld;
  }

  #tellOf(report: ArchiveReport): void {
    const { log } = this.#parts;
    const nowMs = this.clock.monotonicMs();
    if (report.tasks > 0) {
      log.info(
        { tasks: report.tasks, attempts: report.attempts, byType: Object.fromEntries(report.moved) },
        "tasks archived",
      );
    }
    for (const { id, eventType, error } of report.stuck) {
      if (this.#stuckUntilMs.size >= STUCK_MAX) this.#stuckUntilMs.clear();
      this.#stuckUntilMs.set(id, nowMs + STUCK_MS);
      log.error({ id, eventType, err: error }, "task could not be archived; it stays in the live table");
    }
    for (const [eventType, rows] of report.unknownStatuses) {
      this.#tell(`unknown ${eventType}`, () =>
        log.warn({ eventType, rows }, "tasks with a status that nobody knows; they are left alone"),
      );
    }
    for (const eventType of report.unreadable) {
      this.#tell(`unreadable ${eventType}`, () =>
        log.error({ eventType }, "the settings of this type cannot be read; none of its tasks is archived"),
      );
    }
  }

  #tell(what: string, line: () => void, windowMs = STUCK_MS): void {
    if (this.#limiter.admit(what, { linesMax: 1, windowMs }) !== undefined) line();
  }
}
