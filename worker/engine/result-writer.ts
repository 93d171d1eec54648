import { setMaxListeners } from "node:events";
import type { Database } from "../../db/client.ts";
import { retryContention } from "../../db/client.ts";
import { crashPoint } from "../../db/crash-points.ts";
import { classifyDatabaseError, isOutage } from "../../db/mysql-errors.ts";
import { BATCH_ROWS_MAX, type ClaimedTask } from "../../db/queries/claim-tasks.ts";
import { completeTasks, lockFreeClaims } from "../../db/queries/complete-tasks.ts";
import {
  cancelRunningTask,
  failTask,
  rescheduleTask,
  snoozeTask,
  type StoredError,
} from "../../db/queries/end-attempt.ts";
import { insertAttempts, type NewAttempt } from "../../db/queries/insert-attempts.ts";
import { type ClaimState, readClaimStates } from "../../db/queries/owned-tasks.ts";
import { releaseTasks } from "../../db/queries/release-tasks.ts";
import { STATUS_CODE, statusFromCode } from "../../db/schema/task-status.ts";
import type { Session } from "../../db/session.ts";
import type { Clock } from "./clock.ts";
import type { Completion } from "./completion-buffer.ts";
import type { DatabaseHealth } from "./database-health.ts";
import type { EngineEventMap, EngineEvents } from "./events.ts";
import type { HeldClaims } from "./held-claims.ts";

/** What a statement that ends an attempt tried, and how its traces look in the row if it was written after all. */
interface Ending {
  readonly task: ClaimedTask;
  readonly tried: "retry" | "failed" | "snooze" | "cancel" | "release";
  readonly durationMs: number;
  readonly write: (session: Session) => Promise<number>;
  readonly isWritten: (state: ClaimState) => boolean;
  readonly entry?: NewAttempt;
}

/** What is said of a refused result, once its entry in the ledger has been committed. */
type Refusal = EngineEventMap["stale"];

interface Refused {
  readonly one: Completion;
  readonly refusal: Refusal;
}

/** What became of a batch of successes; the rest of it is written. */
interface BatchVerdict {
  readonly refused: readonly Refused[];
  /** Not written: another session keeps the row locked. */
  readonly locked: readonly Completion[];
}

/** A row that another session keeps locked is looked at again after so long. */
const LOCKED_ROW_WAIT_MS = 250;
const OUTAGE_WAIT_MS_MAX = 2_000;
const PERMANENT_TRIES_MAX = 5;

/** Writes under way at which pools stop claiming: enough to keep every connection busy, few enough to wait for none long. */
export const WRITE_BACKLOG_MAX = 100;

/**
 * Writes how attempts ended, each under its claim number. An outage is waited out: what a handler has done is written
 * when the database is back, or refused because the task was recycled meanwhile. A refused result goes to the ledger.
 */
export class ResultWriter {
  readonly #database: Database;
  readonly #owner: string;
  readonly #held: HeldClaims;
  readonly #events: EngineEvents;
  readonly #health: DatabaseHealth;
  readonly #clock: Clock;
  readonly #giveUp = new AbortController();
  readonly #pending = new Set<Promise<unknown>>();

  constructor(parts: {
    readonly database: Database;
    readonly owner: string;
    readonly held: HeldClaims;
    readonly events: EngineEvents;
    readonly health: DatabaseHealth;
    readonly clock: Clock;
  }) {
    // Any number of writes may wait for the database at once; Node warns of more than ten listeners.
    setMaxListeners(0, this.#giveUp.signal);
    this.#database = parts.database;
    this.#owner = parts.owner;
    this.#held = parts.held;
    this.#events = parts.events;
    this.#health = parts.health;
    this.#clock = parts.clock;
  }

  /** Writes a batch of successes; never rejects. A row that somebody keeps locked holds up no other: it is written later. */
  async complete(batch: readonly Completion[]): Promise<void> {
    const locked = await this.#completeUnlocked(batch, false);
    if (locked.length > 0) void this.#track(this.#completeLocked(locked));
  }

  async #completeLocked(batch: readonly Completion[]): Promise<void> {
    for (let locked = batch; locked.length > 0;) {
      const isLast = this.#giveUp.signal.aborted;
      await this.#clock.sleep(LOCKED_ROW_WAIT_MS, this.#giveUp.signal);
      locked = await this.#completeUnlocked(locked, true);
      if (isLast) return;
    }
  }

  /** Writes those whose rows are free; answers the others. `skipsLocked`: without trying to wait for any lock. */
  async #completeUnlocked(batch: readonly Completion[], skipsLocked: boolean): Promise<readonly Completion[]> {
    const verdict = await this.#persist(async () => {
      const refused: Refused[] = [];
      const locked: Completion[] = [];
      for (const reason of ["success", "skipped"] as const) {
        const part = batch.filter((one) => one.reason === reason);
        if (part.length === 0) continue;
        const ofPart = await this.#completePart(part, reason, skipsLocked);
        refused.push(...ofPart.refused);
        locked.push(...ofPart.locked);
      }
      return { refused, locked };
    });
    const refused = new Map(verdict?.refused.map(({ one, refusal }) => [one, refusal]));
    const locked = new Set(verdict?.locked);
    for (const one of batch) {
      if (locked.has(one)) continue;
      // Also if it was given up: the self-check then takes back what is still this owner's.
      this.#held.remove(one.task);
      const { task, durationMs } = one;
      const refusal = refused.get(one);
      if (refusal) this.#tellRefusal(refusal);
      else if (verdict) {
        const { eventType, id, claimNo } = task;
        const isSkipped = one.reason === "skipped";
        this.#events.emit("succeeded", { eventType, id, claimNo, durationMs, isSkipped });
      }
    }
    return [...locked];
  }

  /** A handler has committed the success itself, in its own transaction. */
  completedByHandler(task: ClaimedTask, durationMs: number): void {
    this.#held.remove(task);
    this.#events.emit("succeeded", { ...keyOf(task), durationMs, isSkipped: false });
  }

  async reschedule(task: ClaimedTask, durationMs: number, error: StoredError, delayMs: number): Promise<void> {
    const retryCount = task.retryCount + 1;
    const written = await this.#end({
      task,
      durationMs,
      tried: "retry",
      write: (session) => rescheduleTask(session, this.#owner, { ...task, delayMs, error }),
      isWritten: (state) => state.status !== STATUS_CODE.running && state.retryCount === retryCount,
      entry: { ...this.#entryOf(task, durationMs, retryCount), kind: "retried", error, nextDelayMs: delayMs },
    });
    if (written) this.#events.emit("rescheduled", { ...keyOf(task), retryCount, delayMs, error: error.text });
  }

  async fail(
    task: ClaimedTask,
    durationMs: number,
    error: StoredError,
    end: { readonly reason: "exhausted" | "non_retryable"; readonly counted: boolean },
  ): Promise<void> {
    const retryCount = task.retryCount + (end.counted ? 1 : 0);
    const written = await this.#end({
      task,
      durationMs,
      tried: "failed",
      write: (session) => failTask(session, this.#owner, { ...task, ...end, error }),
      isWritten: (state) => state.status === STATUS_CODE.failed && state.retryCount === retryCount,
      entry: { ...this.#entryOf(task, durationMs, retryCount), kind: "failed", error, detail: end.reason },
    });
    if (written) this.#events.emit("failed", { ...keyOf(task), reason: end.reason, error: error.text });
  }

  async snooze(task: ClaimedTask, durationMs: number, delayMs: number): Promise<void> {
    const written = await this.#end({
      task,
      durationMs,
      tried: "snooze",
      write: (session) => snoozeTask(session, this.#owner, { ...task, delayMs }),
      isWritten: (state) => state.status === STATUS_CODE.pending && state.recycleCount === task.recycleCount,
      entry: { ...this.#entryOf(task, durationMs, task.retryCount), kind: "snoozed", nextDelayMs: delayMs },
    });
    if (written) this.#events.emit("snoozed", { ...keyOf(task), delayMs });
  }

  async cancel(task: ClaimedTask, durationMs: number): Promise<void> {
    const written = await this.#end({
      task,
      durationMs,
      tried: "cancel",
      write: (session) => cancelRunningTask(session, this.#owner, task),
      isWritten: (state) => state.status === STATUS_CODE.cancelled,
      entry: { ...this.#entryOf(task, durationMs, task.retryCount), kind: "cancelled", detail: "by its handler" },
    });
    if (written) this.#events.emit("cancelled", keyOf(task));
  }

  /** Gives the claim of an attempt back that ended uncounted; if it is no longer held, that goes to the ledger. */
  async giveBack(task: ClaimedTask, durationMs: number, reason: string, delayMs?: number): Promise<void> {
    const written = await this.#end({
      task,
      durationMs,
      tried: "release",
      write: (session) => releaseTasks(session, this.#owner, [task], delayMs),
      isWritten: (state) => state.status === STATUS_CODE.pending && state.recycleCount === task.recycleCount,
    });
    if (written) this.#events.emit("released", { eventType: task.eventType, count: 1, reason, delayMs });
  }

  /** Gives claims back unrun; a claim that is no longer held needs no giving back. */
  async release(tasks: readonly ClaimedTask[], reason: string, delayMs?: number): Promise<void> {
    for (const eventType of new Set(tasks.map((task) => task.eventType))) {
      const ofType = tasks.filter((task) => task.eventType === eventType);
      for (let start = 0; start < ofType.length; start += BATCH_ROWS_MAX) {
        const batch = ofType.slice(start, start + BATCH_ROWS_MAX);
        crashPoint("unrun.begun");
        const count = await this.#persist(() =>
          this.#database.use((session) => releaseTasks(session, this.#owner, batch, delayMs)),
        );
        crashPoint("unrun.released");
        for (const task of batch) this.#held.remove(task);
        if (count) this.#events.emit("released", { eventType, count, reason, delayMs });
      }
    }
  }

  /** Enters a result that `ctx.transaction` found refused. */
  async refuse(task: ClaimedTask, tried: string, durationMs: number): Promise<void> {
    const refusal = await this.#persist(() =>
      this.#database.transaction(async (session) => {
        const state = (await readClaimStates(session, [task.id])).get(task.id);
        return this.#enterRefusal(session, task, tried, durationMs, state);
      }),
    );
    this.#held.remove(task);
    if (refusal) this.#tellRefusal(refusal);
  }

  /** Writes under way, each of which needs a connection of its own. */
  get backlog(): number {
    return this.#pending.size;
  }

  /** Resolves when every write under way has ended; `giveUp` first ends the waiting for a database that is away. */
  async settle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  giveUp(): void {
    this.#giveUp.abort();
  }

  async #completePart(
    part: readonly Completion[],
    reason: "success" | "skipped",
    skipsLocked: boolean,
  ): Promise<BatchVerdict> {
    const claims = part.map((one) => one.task);
    let mayBeLocked = skipsLocked;
    if (!mayBeLocked) {
      try {
        crashPoint("success.begun");
        const changed = await this.#database.use((session) => completeTasks(session, this.#owner, claims, reason));
        crashPoint("success.written");
        if (changed === part.length) return { refused: [], locked: [] };
      } catch (error) {
        if (classifyDatabaseError(error) !== "lock_wait") throw error;
        mayBeLocked = true;
      }
    }
    return this.#database.transaction(async (session) => {
      if (mayBeLocked) {
        const free = await lockFreeClaims(session, this.#owner, claims);
        const freeClaims = claims.filter((claim) => free.has(claim.id));
        if (freeClaims.length > 0) await completeTasks(session, this.#owner, freeClaims, reason);
      }
      const ids = claims.map((claim) => claim.id);
      const states = await readClaimStates(session, ids);
      const refused: Refused[] = [];
      const locked: Completion[] = [];
      for (const one of part) {
        const { task, durationMs } = one;
        const state = states.get(task.id);
        if (state?.claimNo === task.claimNo && state.status === STATUS_CODE.succeeded) continue;
        if (mayBeLocked && state?.claimNo === task.claimNo && state.status === STATUS_CODE.running) locked.push(one);
        else {
          const refusal = await this.#enterRefusal(session, task, "success", durationMs, state);
          refused.push({ one, refusal });
        }
      }
      return { refused, locked };
    });
  }

  async #end(ending: Ending): Promise<boolean> {
    const { task, tried } = ending;
    const written = await this.#persist(() =>
      this.#database.transaction(async (session) => {
        crashPoint(`${tried}.begun`);
        if ((await ending.write(session)) > 0) {
          if (ending.entry) await insertAttempts(session, [ending.entry]);
          crashPoint(`${tried}.changed`);
          return true;
        }
        const state = (await readClaimStates(session, [task.id])).get(task.id);
        // The answer to an earlier try was lost, not the try itself.
        if (state && state.claimNo === task.claimNo && ending.isWritten(state)) return true;
        return this.#enterRefusal(session, task, tried, ending.durationMs, state);
      }),
    );
    if (written === true) crashPoint(`${tried}.committed`);
    this.#held.remove(task);
    if (typeof written === "object") this.#tellRefusal(written);
    return written === true;
  }

  /** Writes the ledger's entry in the caller's transaction; answers what to say of it once that has committed. */
  async #enterRefusal(
    session: Session,
    task: ClaimedTask,
    tried: string,
    durationMs: number,
    state: ClaimState | undefined,
  ): Promise<Refusal> {
    const foundStatus = state ? (statusFromCode(state.status) ?? "gone") : "gone";
    const lateMs = state?.sinceUpdateMs ?? 0;
    const holder = state?.owner ? ` of ${state.owner}` : "";
    await insertAttempts(session, [
      {
        ...this.#entryOf(task, durationMs, task.retryCount),
        kind: "stale",
        detail: `tried ${tried}, refused: the task is ${foundStatus}${state ? ` under claim ${state.claimNo}${holder}` : ""} since ${lateMs} ms`,
      },
    ]);
    crashPoint("refusal.entered");
    return { ...keyOf(task), tried, foundStatus, lateMs };
  }

  /** The ledger's entry has been committed. */
  #tellRefusal(refusal: Refusal): void {
    crashPoint("refusal.committed");
    this.#events.emit("stale", refusal);
  }

  #entryOf(task: ClaimedTask, durationMs: number, retryCount: number): Omit<NewAttempt, "kind"> {
    return {
      taskId: task.id,
      eventType: task.eventType,
      retryCount,
      claimNo: task.claimNo,
      owner: this.#owner,
      durationMs,
    };
  }

  /** Runs a unit until it is written. Undefined: given up; the self-check or another process takes the task back. */
  async #persist<Result>(unit: () => Promise<Result>): Promise<Result | undefined> {
    return this.#track(this.#persistLoop(unit));
  }

  /** `settle` waits for it. */
  async #track<Result>(work: Promise<Result>): Promise<Result> {
    this.#pending.add(work);
    try {
      return await work;
    } finally {
      this.#pending.delete(work);
    }
  }

  async #persistLoop<Result>(unit: () => Promise<Result>): Promise<Result | undefined> {
    for (let tries = 1; ; tries++) {
      try {
        const result = await retryContention(unit);
        this.#health.noteSuccess();
        return result;
      } catch (error) {
        this.#health.noteError(error);
        if (this.#giveUp.signal.aborted) return undefined;
        if (!isOutage(error) && (classifyDatabaseError(error) === "permanent" || tries >= PERMANENT_TRIES_MAX)) {
          this.#events.emit("loopError", { loop: "result-writer", error });
          if (tries >= PERMANENT_TRIES_MAX) return undefined;
        }
        const waitMs = Math.min(OUTAGE_WAIT_MS_MAX, 50 * 2 ** Math.min(tries, 6)) * (0.75 + Math.random() * 0.5);
        await this.#clock.sleep(waitMs, this.#giveUp.signal);
      }
    }
  }
}

function keyOf(task: ClaimedTask): { eventType: string; id: string; claimNo: number } {
  return { eventType: task.eventType, id: task.id, claimNo: task.claimNo };
}
