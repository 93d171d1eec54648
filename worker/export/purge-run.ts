import { ARCHIVE_TABLES, dropArchivePartition } from "../../db/archive-partitions.ts";
import type { Database } from "../../db/client.ts";
import { isOutage } from "../../db/mysql-errors.ts";
import { markPurgeBegan, markPurged, markUnverified } from "../../db/queries/exports.ts";
import { purgeBatch, type PurgeLane } from "../../db/queries/purge-archive.ts";
import type { Clock } from "../engine/clock.ts";
import { DAY_SETTLE_MS, readArchiveDays } from "./closed-days.ts";
import { findExportObstacle } from "./export-check.ts";
import { countDay, countLanes, type DayPlan, type PastPartition, pastPartitions, planDay } from "./purge-plan.ts";
import { readRetention } from "./retention.ts";
import { type RunLease, RunStoppedError } from "./run-lease.ts";
import type { OnStep, PurgeStep } from "./steps.ts";
import { type ExportTarget, TargetError } from "./target.ts";

/** How fast rows go, as the archiver's pace says it. */
export interface PurgePace {
  wait(signal: AbortSignal): Promise<void>;
  moved(rows: number, startedMs: number): void;
}

export interface PurgeOutcome {
  /** A day, or for a whole partition the day it is named after. */
  readonly day: string;
  readonly what: "dropped" | "deleted" | "kept" | "failed";
  /** Rows of both tables that went, or that a dry run would remove. */
  readonly rows: number;
  /** Why rows of the day stay, or why it failed. */
  readonly reason?: string;
  /** What goes of a day that stays in part. */
  readonly lanes?: readonly {
    readonly eventType: string;
    readonly which: PurgeLane["which"];
    readonly tasks: number;
  }[];
}

export interface PurgeRunParts {
  readonly database: Database;
  /** Where the exports are that purging relies on; undefined: nowhere. */
  readonly target: ExportTarget | undefined;
  readonly requiresExport: boolean;
  readonly lease: RunLease;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly pace: PurgePace;
  readonly signal: AbortSignal;
  /** Only this day. */
  readonly day?: string | undefined;
  /** Reads what would go, and removes nothing. */
  readonly isDryRun?: boolean;
  readonly settleMs?: number;
  readonly batchRows?: number;
  readonly onStep?: OnStep<PurgeStep>;
  readonly onProgress?: (progress: { readonly day: string; readonly rows: number }) => void;
  readonly onOutcome?: (outcome: PurgeOutcome) => void;
}

export interface PurgeReport {
  readonly outcomes: readonly PurgeOutcome[];
  readonly rows: number;
  readonly stopped: RunStoppedError | undefined;
}

/**
 * Removes what is past its retention, oldest first: a day of which nothing is kept goes as a partition, of others the rows
 * go in batches with a transaction each. Touches no live table, and no day that is not over.
 */
export async function runPurge(parts: PurgeRunParts): Promise<PurgeReport> {
  const run = new PurgeRun(parts);
  const stopped = await run.run();
  return { outcomes: run.outcomes, rows: run.outcomes.reduce((sum, { rows }) => sum + rows, 0), stopped };
}

class PurgeRun {
  readonly outcomes: PurgeOutcome[] = [];
  readonly #parts: PurgeRunParts;
  readonly #onStep: OnStep<PurgeStep>;
  readonly #settleMs: number;
  #rowsOfDay = 0;

  constructor(parts: PurgeRunParts) {
    this.#parts = parts;
    this.#onStep = parts.onStep ?? (() => undefined);
    this.#settleMs = parts.settleMs ?? DAY_SETTLE_MS;
  }

  /** Answers why it stopped before its end; undefined: it did not. */
  async run(): Promise<RunStoppedError | undefined> {
    try {
      await this.#checkpoint();
      const archive = await readArchiveDays(this.#parts.database, this.#settleMs);
      const partitions = pastPartitions(archive, this.#settleMs);
      const homes = new Map(partitions.flatMap((one) => one.days.map((day) => [day, one])));
      for (const partition of partitions)
        await this.#survive(partition.name, () => this.#purgePartition(partition, archive.now));
      // Days without a partition of their own, while the archiver has made none: they go row by row.
      for (const day of archive.closed.filter((one) => !homes.has(one))) {
        await this.#survive(day, () => this.#purgeRows(day, archive.now));
      }
      return undefined;
    } catch (error) {
      if (error instanceof RunStoppedError) return error;
      throw error;
    }
  }

  /** A day that cannot be purged does not keep the others. */
  async #survive(name: string, work: () => Promise<void>): Promise<void> {
    await this.#checkpoint();
    this.#rowsOfDay = 0;
    try {
      await work();
    } catch (error) {
      const isFatal = error instanceof RunStoppedError || isOutage(error);
      if (isFatal || (error instanceof TargetError && error.code === "EXPORT_TARGET_UNAVAILABLE")) throw error;
      const day = /^p\d{8}$/.test(name) ? `${name.slice(1, 5)}-${name.slice(5, 7)}-${name.slice(7)}` : name;
      this.#tell({ day, what: "failed", rows: this.#rowsOfDay, reason: (error as Error).message });
    }
  }

  async #purgePartition(partition: PastPartition, now: Date): Promise<void> {
    const { database, day: only, isDryRun } = this.#parts;
    const { name, days } = partition;
    if (only !== undefined && !days.includes(only)) return;
    const plans: DayPlan[] = [];
    for (const day of days) plans.push(await this.#plan(day, now));
    const isWhole = plans.every((plan) => plan.isWhole) && (only === undefined || days.length === 1);
    if (!isWhole) {
      for (const day of days.filter((one) => (only ?? one) === one)) await this.#purgeRows(day, now);
      return;
    }
    const obstacles = new Map<string, string>();
    for (const day of days) {
      const obstacle = await this.#obstacle(day);
      if (obstacle !== undefined) obstacles.set(day, obstacle);
    }
    for (const [day, reason] of obstacles) this.#tell({ day, what: "kept", rows: 0, reason });
    if (obstacles.size > 0) {
      for (const day of days.filter((one) => !obstacles.has(one))) await this.#purgeRows(day, now);
      return;
    }
    const rowsByDay: number[] = [];
    for (const day of days) rowsByDay.push(await countDay(database, day));
    await this.#onStep("checked");
    const rows = rowsByDay.reduce((sum, count) => sum + count, 0);
    if (!isDryRun) await this.#drop(partition);
    const own = `${name.slice(1, 5)}-${name.slice(5, 7)}-${name.slice(7)}`;
    if (days.length > 0) this.#tell({ day: days.at(-1) ?? own, what: "dropped", rows });
  }

  async #drop({ name, days }: PastPartition): Promise<void> {
    const { database } = this.#parts;
    for (const day of days) await database.use((session) => markPurgeBegan(session, day));
    await this.#onStep("begun");
    // The history goes first: what a crash leaves is a task without history, and the next run drops it.
    for (const table of [...ARCHIVE_TABLES].reverse()) {
      await this.#checkpoint();
      await database.use((session) => dropArchivePartition(session, table, name));
      await this.#onStep(table === "t_retry_task_archive" ? "tasks_dropped" : "attempts_dropped");
    }
    for (const day of days) await database.use((session) => markPurged(session, day));
    await this.#onStep("marked_purged");
  }

  /** Removes what a day may lose while the rest of it stays. */
  async #purgeRows(day: string, now: Date): Promise<void> {
    const { database, day: only, isDryRun } = this.#parts;
    if (only !== undefined && only !== day) return;
    const plan = await this.#plan(day, now);
    const reason = plan.keptBy.length > 0 ? `kept by ${plan.keptBy.join(", ")}` : undefined;
    const counted = await countLanes(database, plan.lanes);
    if (counted.length === 0) {
      this.#tell({ day, what: "kept", rows: 0, ...(reason === undefined ? {} : { reason }) });
      return;
    }
    const obstacle = await this.#obstacle(day);
    if (obstacle !== undefined) {
      this.#tell({ day, what: "kept", rows: 0, reason: obstacle });
      return;
    }
    await this.#onStep("checked");
    const lanes = counted.map(({ lane, tasks }) => ({ eventType: lane.eventType, which: lane.which, tasks }));
    if (isDryRun) this.#rowsOfDay = lanes.reduce((sum, { tasks }) => sum + tasks, 0);
    else {
      await database.use((session) => markPurgeBegan(session, day));
      await this.#onStep("begun");
      for (const { lane } of counted) await this.#deleteLane(lane);
    }
    this.#tell({ day, what: "deleted", rows: this.#rowsOfDay, lanes, ...(reason === undefined ? {} : { reason }) });
  }

  async #deleteLane(lane: PurgeLane): Promise<void> {
    const { database, pace, clock, signal, batchRows } = this.#parts;
    for (;;) {
      await pace.wait(signal);
      await this.#checkpoint();
      const startedMs = clock.monotonicMs();
      const { tasks, rows } = await database.retryingTransaction(async (session) => {
        const gone = await purgeBatch(session, lane, batchRows);
        await this.#onStep("batch_deleted");
        return gone;
      });
      if (tasks === 0) return;
      await this.#onStep("batch_committed");
      pace.moved(rows, startedMs);
      this.#rowsOfDay += rows;
      this.#parts.onProgress?.({ day: lane.day, rows: this.#rowsOfDay });
    }
  }

  /** The settings are read for each day: what somebody has just set to be kept is kept. */
  async #plan(day: string, now: Date): Promise<DayPlan> {
    const { database } = this.#parts;
    return planDay(database, await readRetention(database), day, now);
  }

  async #obstacle(day: string): Promise<string | undefined> {
    const { database, target, requiresExport, isDryRun } = this.#parts;
    if (!requiresExport) return undefined;
    return findExportObstacle(database, target, day, async (record) => {
      if (!isDryRun) await database.use((session) => markUnverified(session, record));
    });
  }

  /** A dry run removes nothing and needs no right to. */
  async #checkpoint(): Promise<void> {
    if (!this.#parts.isDryRun) return this.#parts.lease.checkpoint();
    if (this.#parts.signal.aborted) throw new RunStoppedError("RUN_INTERRUPTED", "stopped before the end");
  }

  #tell(outcome: PurgeOutcome): void {
    this.outcomes.push(outcome);
    this.#parts.onOutcome?.(outcome);
  }
}
