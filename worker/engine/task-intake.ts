import { type Database, retryContention } from "../../db/client.ts";
import { crashPoint } from "../../db/crash-points.ts";
import { BATCH_ROWS_MAX, type ClaimedTask, type Claimer, claimTasksById } from "../../db/queries/claim-tasks.ts";
import { readTaskTypes } from "../../db/queries/find-task-id.ts";
import { CUT_OFF } from "./attempt.ts";
import type { DatabaseHealth } from "./database-health.ts";
import { isId } from "./enqueue.ts";
import { RedriveError } from "./errors.ts";
import type { EngineEvents } from "./events.ts";
import type { EventTypeRuntime } from "./event-type-runtime.ts";
import type { HeldClaims } from "./held-claims.ts";
import type { ResultWriter } from "./result-writer.ts";
import type { Runner } from "./runner.ts";

/** Ids of one wake call at most. */
export const WAKE_IDS_MAX = 1_000;

export interface TaskIntakeParts {
  readonly database: Database;
  readonly claimer: Claimer;
  readonly held: HeldClaims;
  readonly types: ReadonlyMap<string, EventTypeRuntime>;
  readonly runner: Runner;
  readonly writer: ResultWriter;
  readonly health: DatabaseHealth;
  readonly events: EngineEvents;
  readonly random: () => number;
  readonly isRunning: () => boolean;
  /** How often this process has been cut off so far. */
  readonly lapses: () => number;
  readonly holdOffMs: (runtime: EventTypeRuntime) => number;
}

/** The one way by which claimed tasks get into the pools. */
export class TaskIntake {
  readonly #parts: TaskIntakeParts;

  constructor(parts: TaskIntakeParts) {
    this.#parts = parts;
  }

  /**
   * Takes over claimed tasks: suspects one at a time, the rest into the pool. While stopping all are given back, and if
   * the process was cut off while they were being claimed, for then others may have them.
   */
  accept(runtime: EventTypeRuntime, tasks: readonly ClaimedTask[], lapses: number): void {
    const { writer, runner, random } = this.#parts;
    if (!this.#parts.isRunning()) {
      void writer.release(tasks, "shutdown");
      return;
    }
    if (lapses !== this.#parts.lapses()) {
      void writer.release(tasks, CUT_OFF);
      return;
    }
    const { admitted, waiting } = runner.admit(tasks, runtime.settings.maxRecycles);
    for (const task of admitted) runtime.pool.submit(task);
    if (waiting.length > 0) {
      const delayMs = Math.min(60_000, Math.ceil(1_000 * (1 + random() * waiting.length)));
      void writer.release(waiting, "runs alone later", delayMs);
    }
  }

  /** Claims and starts pending due tasks by id as far as there is room; the rest is left to the poller. */
  async wake(ids: readonly string[]): Promise<number> {
    if (ids.length > WAKE_IDS_MAX) {
      throw new RedriveError("INVALID_OPTION", `wake takes at most ${WAKE_IDS_MAX} ids, not ${ids.length}`);
    }
    const wrong = ids.find((id) => !isId(id));
    if (wrong !== undefined)
      throw new RedriveError("INVALID_OPTION", `wake: "${String(wrong).slice(0, 40)}" is not a task id`);
    if (ids.length === 0 || !this.#parts.isRunning()) return 0;
    const typeById = await this.#parts.database.use((session) => readTaskTypes(session, ids));
    let claimed = 0;
    for (const [eventType, runtime] of this.#parts.types) {
      const ofType = ids.filter((id) => typeById.get(id) === eventType);
      if (ofType.length === 0) continue;
      const taken = await this.#claimById(runtime, ofType.slice(0, Math.min(runtime.pool.room, BATCH_ROWS_MAX)));
      claimed += taken;
      if (taken < ofType.length) runtime.poller.poke();
    }
    return claimed;
  }

  async #claimById(runtime: EventTypeRuntime, ids: readonly string[]): Promise<number> {
    if (ids.length === 0 || this.#parts.holdOffMs(runtime) > 0) return 0;
    const { database, claimer, held, health, events } = this.#parts;
    const { eventType } = runtime.handler;
    const lapses = this.#parts.lapses();
    let claimed: ClaimedTask[] = [];
    const forget = (): void => {
      for (const task of claimed) held.remove(task);
    };
    try {
      await retryContention(() =>
        database.transaction(async (session) => {
          forget();
          claimed = await claimTasksById(session, claimer, { eventType, ids });
          for (const task of claimed) held.add(task);
          crashPoint("wake.changed");
        }),
      );
      crashPoint("wake.committed");
    } catch (error) {
      forget();
      health.noteError(error);
      throw error;
    }
    events.emit("claimed", { eventType, count: claimed.length, limit: ids.length });
    this.accept(runtime, claimed, lapses);
    return claimed.length;
  }
}
