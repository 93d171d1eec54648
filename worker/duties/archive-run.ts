import { type ArchiveColumns, readArchiveColumns } from "../../db/archive-columns.ts";
import { ensureArchivePartitions } from "../../db/archive-partitions.ts";
import { Database } from "../../db/client.ts";
import type { ConnectionSettings } from "../../db/connection-options.ts";
import { effectiveSettings, type KeptSeconds, parseStoredSettings } from "../../db/event-type-settings.ts";
import { isContention, isOutage } from "../../db/mysql-errors.ts";
import {
  type ArchiveCandidate,
  type ArchiveLane,
  countUnknownStatuses,
  ENDED_STATUSES,
  type EndedStatus,
  type LateCursor,
  listArchivable,
  listLateAttempts,
} from "../../db/queries/archive-tasks.ts";
import { addArchivedCount } from "../../db/queries/count-archived.ts";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import { type EventTypeRow, listEventTypes, listTaskEventTypes } from "../../db/queries/event-types.ts";
import type { TaskCursor } from "../../db/queries/list-tasks.ts";
import type { SessionZone } from "../../db/session-zone.ts";
import type { Clock } from "../engine/clock.ts";
import { moveLateAttempts, moveToArchive, noStep, type OnArchiveStep } from "./archive-mover.ts";
import type { ArchivePace } from "./archive-pace.ts";

/** What a run did, found and could not do. Also handed out while it goes on. */
export interface ArchiveReport {
  /** Tasks moved, by event type. */
  readonly moved: ReadonlyMap<string, number>;
  readonly tasks: number;
  readonly attempts: number;
  /** Tasks that could not be moved, each tried alone; they stay live and are skipped in this run. */
  readonly stuck: readonly StuckTask[];
  /** Live rows whose status nobody knows, by event type; never touched. */
  readonly unknownStatuses: ReadonlyMap<string, number>;
  /** Types whose changed settings cannot be read: how long they keep their tasks is not known, so none is moved. */
  readonly unreadable: readonly string[];
  /** Why it pauses at this moment. */
  readonly pause: string | undefined;
  /** True if there was nothing more to do, and it was not told to stop before. */
  readonly isComplete: boolean;
}

export interface StuckTask {
  readonly id: string;
  readonly eventType: string;
  readonly error: unknown;
}

export interface ArchiveRunParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly pace: ArchivePace;
  /** Under whose name the moved tasks are counted in the metrics. Runs that share one wait for each other there. */
  readonly countedAs?: string | undefined;
  /** Ends the run after the batch that is under way. */
  readonly signal: AbortSignal;
  /** Only this type. */
  readonly eventType?: string | undefined;
  /** Asked before each batch; false ends the run. */
  readonly mayContinue?: () => Promise<boolean>;
  readonly onProgress?: (report: ArchiveReport) => void;
  /** Told of each batch that was committed. */
  readonly onMoved?: ((eventType: string, tasks: number) => void) | undefined;
  /** Told of what went wrong and did not end the run. */
  readonly onError?: (what: string, error: unknown) => void;
  readonly onStep?: OnArchiveStep;
  /** Tasks that were stuck a short while ago and are not tried in this run. */
  readonly isStuck?: (id: string) => boolean;
  /** Days ahead are made and late history entries moved as well. Default true. */
  readonly withUpkeep?: boolean;
}

/**
 * Connections for the work of a run: a statement gives way after a second to anybody who holds a row that it needs.
 */
export function openArchiveDatabase(target: {
  readonly connection: ConnectionSettings;
  readonly zone: SessionZone;
}): Database {
  const { connection, zone } = target;
  return new Database({ connection, zone, connectionLimit: 2, lockWaitSeconds: 1 });
}

const PAUSE_LOOK_MS = 2_000;
/** So many rows of one lane that cannot be moved end the lane for this run: the cause is not a row. */
const STUCK_MAX = 100;
const LATE_SETTLED_MS = 3_600_000;

/** A lane, and the settings it came from. */
export type ArchivePlan = readonly ArchiveLane[];

/** The lanes of every type that is registered or has live tasks, in order; types with unreadable settings have none. */
export async function planArchive(
  database: Database,
  onlyType?: string,
): Promise<{ readonly lanes: ArchivePlan; readonly types: readonly string[]; readonly unreadable: readonly string[] }> {
  const { registered, live } = await database.use(async (session) => ({
    registered: new Map((await listEventTypes(session)).map((row) => [row.eventType, row])),
    live: await listTaskEventTypes(session),
  }));
  const types = [...new Set([...registered.keys(), ...live])].filter((name) => (onlyType ?? name) === name).sort();
  const lanes: ArchiveLane[] = [];
  const unreadable: string[] = [];
  for (const eventType of types) {
    const kept = keptOf(registered.get(eventType));
    if (!kept) unreadable.push(eventType);
    for (const status of kept ? ENDED_STATUSES : []) {
      const seconds = kept?.[status];
      if (typeof seconds === "number") lanes.push({ eventType, status, endedForMs: seconds * 1_000 });
    }
  }
  return { lanes, types, unreadable };
}

function keptOf(row: EventTypeRow | undefined): Record<EndedStatus, KeptSeconds> | undefined {
  const code = parseStoredSettings(row?.codeSettings);
  const overrides = parseStoredSettings(row?.overrideSettings);
  if (!code || !overrides) return undefined;
  const { liveKeptSeconds, failedKeptSeconds } = effectiveSettings(code, overrides);
  return { succeeded: liveKeptSeconds, cancelled: liveKeptSeconds, failed: failedKeptSeconds };
}

/** How many tasks of a lane are ripe at this moment; reads only. */
export async function countRipe(database: Database, lane: ArchiveLane, signal?: AbortSignal): Promise<number> {
  let count = 0;
  let cursor: TaskCursor | undefined;
  do {
    const page = await database.use((session) => listArchivable(session, lane, cursor));
    count += page.ripe.length;
    cursor = page.next;
  } while (cursor && !signal?.aborted);
  return count;
}

/**
 * One pass over all types: moves every ripe task in batches, each in a transaction of its own, so that it may end at any
 * point and go on where it was. What cannot be moved is tried alone, reported and left.
 * @throws ArchiveColumnsError if a move would lose a column; else for an outage only
 */
export async function runArchive(parts: ArchiveRunParts): Promise<ArchiveReport> {
  return new ArchiveRun(parts).run();
}

class ArchiveRun {
  readonly #parts: ArchiveRunParts;
  readonly #onStep: OnArchiveStep;
  readonly #source: string;
  readonly #moved = new Map<string, number>();
  readonly #stuck: StuckTask[] = [];
  readonly #unknown = new Map<string, number>();
  #unreadable: readonly string[] = [];
  #columns: ArchiveColumns = { task: [], attempt: [] };
  #tasks = 0;
  #attempts = 0;
  #pause: string | undefined;
  #isComplete = true;

  constructor(parts: ArchiveRunParts) {
    this.#parts = parts;
    this.#onStep = parts.onStep ?? noStep;
    // Not the name alone: the process's other counts are written under that one, on other connections.
    this.#source = ["archive", parts.countedAs].filter(Boolean).join(" ");
  }

  async run(): Promise<ArchiveReport> {
    const { database, eventType } = this.#parts;
    this.#columns = await database.use(readArchiveColumns);
    const withUpkeep = this.#parts.withUpkeep ?? true;
    if (withUpkeep) {
      await this.#survive(
        "the days of the archive could not be made yet; its default partition takes what has none",
        () =>
          database.use(async (session) =>
            ensureArchivePartitions(session, await readDatabaseNow(session), undefined, () =>
              this.#onStep("days_made"),
            ),
          ),
      );
    }
    const { lanes, types, unreadable } = await planArchive(database, eventType);
    this.#unreadable = unreadable;
    for (const lane of lanes) {
      await this.#survive(`tasks of ${lane.eventType} could not be moved`, () => this.#runLane(lane));
    }
    if (withUpkeep) {
      await this.#survive("late history entries could not be moved", () => this.#moveLate());
    }
    for (const name of types) {
      const rows = await database.use((session) => countUnknownStatuses(session, name));
      if (rows > 0) this.#unknown.set(name, rows);
    }
    return this.#report();
  }

  /** Does a part of the work; whatever is no outage is reported and ends this part only. */
  async #survive(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isOutage(error)) throw error;
      this.#isComplete = false;
      this.#parts.onError?.(what, error);
    }
  }

  async #runLane(lane: ArchiveLane): Promise<void> {
    const { database, isStuck } = this.#parts;
    let cursor: TaskCursor | undefined;
    do {
      if (!(await this.#mayGoOn())) return;
      const page = await database.use((session) => listArchivable(session, lane, cursor));
      await this.#onStep("chosen");
      cursor = page.next;
      let waiting = page.ripe.filter(({ id }) => !isStuck?.(id));
      while (waiting.length > 0) {
        if (!(await this.#mayGoOn())) return;
        const { batchRows } = this.#parts.pace;
        const left = await this.#moveBatch(lane, waiting.slice(0, batchRows));
        waiting = [...left, ...waiting.slice(batchRows)];
      }
    } while (cursor);
  }

  /**
   * Moves a batch; if it fails, its halves, down to the single row that is to blame. Not the whole again: while it waits
   * for a row that somebody holds, others wait for its own. Answers what did not fit.
   */
  async #moveBatch(lane: ArchiveLane, batch: readonly ArchiveCandidate[]): Promise<readonly ArchiveCandidate[]> {
    const { database, pace, clock } = this.#parts;
    const startedMs = clock.monotonicMs();
    try {
      const { tasks, attempts, left } = await database.transaction(async (session) => {
        const moved = await moveToArchive(session, lane, batch, this.#columns, this.#onStep);
        const { eventType } = lane;
        if (moved.tasks > 0) await addArchivedCount(session, { eventType, source: this.#source, count: moved.tasks });
        return moved;
      });
      await this.#onStep("committed");
      this.#tasks += tasks;
      this.#attempts += attempts;
      if (tasks > 0) {
        this.#moved.set(lane.eventType, (this.#moved.get(lane.eventType) ?? 0) + tasks);
        this.#parts.onMoved?.(lane.eventType, tasks);
      }
      pace.moved(tasks + attempts, startedMs);
      this.#parts.onProgress?.(this.#report());
      return left;
    } catch (error) {
      if (isOutage(error)) throw error;
      const [first] = batch;
      if (batch.length > 1) {
        const middle = Math.ceil(batch.length / 2);
        const left = await this.#moveBatch(lane, batch.slice(0, middle));
        return [...left, ...(await this.#moveBatch(lane, batch.slice(middle)))];
      }
      // Somebody holds what the row needs: the next run finds it again.
      if (first && !isContention(error)) this.#stuck.push({ id: first.id, eventType: lane.eventType, error });
      if (this.#stuck.filter(({ eventType }) => eventType === lane.eventType).length > STUCK_MAX) throw error;
      return [];
    }
  }

  async #moveLate(): Promise<void> {
    const { database } = this.#parts;
    let after: LateCursor | undefined;
    do {
      if (!(await this.#mayGoOn())) return;
      const page = await database.use((session) => listLateAttempts(session, { settledMs: LATE_SETTLED_MS, after }));
      if (page.ids.length > 0) {
        await database.transaction(async (session) =>
          moveLateAttempts(session, page.ids, await readDatabaseNow(session), this.#columns, this.#onStep),
        );
        await this.#onStep("late_committed");
        this.#attempts += page.ids.length;
      }
      after = page.next;
    } while (after);
  }

  /** Waits as long as the pace says so; false: the run ends here. */
  async #mayGoOn(): Promise<boolean> {
    const { pace, clock, signal, mayContinue, onProgress } = this.#parts;
    for (;;) {
      if (signal.aborted || (mayContinue && !(await mayContinue()))) {
        this.#isComplete = false;
        return false;
      }
      this.#pause = await pace.obstacle();
      if (this.#pause === undefined) break;
      onProgress?.(this.#report());
      await clock.sleep(PAUSE_LOOK_MS, signal);
    }
    await pace.wait(signal);
    if (signal.aborted) this.#isComplete = false;
    return !signal.aborted;
  }

  #report(): ArchiveReport {
    return {
      moved: new Map(this.#moved),
      tasks: this.#tasks,
      attempts: this.#attempts,
      stuck: [...this.#stuck],
      unknownStatuses: new Map(this.#unknown),
      unreadable: this.#unreadable,
      pause: this.#pause,
      isComplete: this.#isComplete,
    };
  }
}
