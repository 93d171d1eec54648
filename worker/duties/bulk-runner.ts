import type { Database } from "../../db/client.ts";
import { isOutage } from "../../db/mysql-errors.ts";
import { type BulkRow, listBulksInStates } from "../../db/queries/bulk-operations.ts";
import { releaseBulk, startBulk, takeOverBulk } from "../../db/queries/bulk-transitions.ts";
import { holdLease } from "../../db/queries/leases.ts";
import type { Clock } from "../engine/clock.ts";
import type { EngineEvents } from "../engine/events.ts";
import type { Logger } from "../engine/index.ts";
import { Loop } from "../engine/loop.ts";
import { isRunning, type OnBulkStep } from "./bulk-batch.ts";
import { BulkRun } from "./bulk-run.ts";

const LEASE = "bulk";
/** Its row is locked while the next is chosen and begun; it need not be held any longer than that. */
const LEASE_MS = 1;
const LOOK_MS = 1_000;
/** So many actions run at a time, whatever the number of workers. */
export const BULK_RUNNING_MAX = 3;
/** Failures in a row, other than an outage, after which an action is given up as failed. */
const FAILURES_MAX = 5;
const RETRY_MS = 1_000;

export interface BulkRunnerParts {
  readonly database: Database;
  readonly owner: string;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly log: Logger;
  readonly onStep?: OnBulkStep;
}

/**
 * Carries bulk actions on. Every worker looks; the row of one lease lets them begin actions one after another, so that
 * never more than three run; each action has one owner, and another takes it over 15 s after its last sign of life.
 */
export class BulkRunner extends Loop {
  readonly #parts: BulkRunnerParts;
  readonly #running = new Map<string, Promise<void>>();

  constructor(parts: BulkRunnerParts) {
    super("bulk runner", parts.clock, parts.events);
    this.#parts = parts;
  }

  override async runOnce(): Promise<number> {
    const { database } = this.#parts;
    const open = await database.use((session) => listBulksInStates(session, ["scheduled", "canary", "running"]));
    for (const action of open.filter(isRunning)) await this.#takeOver(action);
    if (open.some((action) => !isRunning(action) && action.startsInMs <= 0)) await this.#startNext();
    return LOOK_MS;
  }

  override async stop(): Promise<void> {
    await super.stop();
    await Promise.all(this.#running.values());
  }

  /** Resolves when no action is in this process's hands any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async #takeOver(action: BulkRow): Promise<void> {
    const { database, owner } = this.#parts;
    if (this.#running.has(action.id)) return;
    const taken = await database.use((session) => takeOverBulk(session, { id: action.id, owner }));
    if (taken > 0) this.#drive(action);
  }

  async #startNext(): Promise<void> {
    const { database, owner } = this.#parts;
    const started = await database.transaction(async (session) => {
      // Locked until the commit: two workers cannot count and begin at once.
      if (!(await holdLease(session, { name: LEASE, owner, leaseMs: LEASE_MS }))) return [];
      const open = await listBulksInStates(session, ["scheduled", "canary", "running"]);
      const free = BULK_RUNNING_MAX - open.filter(isRunning).length;
      const due = open.filter((action) => !isRunning(action) && action.startsInMs <= 0).slice(0, Math.max(0, free));
      const mine: BulkRow[] = [];
      for (const action of due) {
        const state = action.canaryRows > 0 && action.canaryVerdict === undefined ? "canary" : "running";
        if ((await startBulk(session, { id: action.id, owner, state })) > 0) mine.push(action);
      }
      return mine;
    });
    for (const action of started) this.#drive(action);
  }

  #drive(action: BulkRow): void {
    const { log } = this.#parts;
    log.info({ bulk: action.id, name: action.name, done: action.doneCount }, "bulk action goes on in this process");
    const driven = this.#driveToEnd(action.id).finally(() => this.#running.delete(action.id));
    this.#running.set(action.id, driven);
  }

  async #driveToEnd(id: string): Promise<void> {
    const { database, owner, clock, events, onStep } = this.#parts;
    const run = new BulkRun({ database, owner, clock, id, ...(onStep ? { onStep } : {}) });
    let failures = 0;
    while (!this.isStopping) {
      try {
        const result = await run.step();
        failures = 0;
        if (result.next === "end") return;
        if (result.next === "wait") await clock.sleep(result.ms, this.stopSignal);
      } catch (error) {
        events.emit("loopError", { loop: `bulk action ${id}`, error });
        if (!isOutage(error) && ++failures >= FAILURES_MAX) {
          await run.fail(error instanceof Error ? error.message : String(error)).catch(() => undefined);
          return;
        }
        await clock.sleep(RETRY_MS, this.stopSignal);
      }
    }
    await database.use((session) => releaseBulk(session, { id, owner })).catch(() => undefined);
  }
}
