import { backoffMs, boundedWaitMs } from "../../db/backoff.ts";
import type { EventTypeSettings } from "../../db/event-type-settings.ts";
import { crashPoint } from "../../db/crash-points.ts";
import type { ClaimedTask } from "../../db/queries/claim-tasks.ts";
import { type AbortCause, Attempt, type AttemptParts, CUT_OFF } from "./attempt.ts";
import type { CompletionBuffer } from "./completion-buffer.ts";
import { storedError } from "./error-text.ts";
import type { EngineEvents } from "./events.ts";
import type { Handler } from "./handler.ts";
import type { Outcome } from "./outcome.ts";
import type { ResultWriter } from "./result-writer.ts";
import { Suspects } from "./suspects.ts";

export interface RunnerParts {
  readonly attempt: AttemptParts;
  readonly writer: ResultWriter;
  readonly completions: CompletionBuffer;
  readonly events: EngineEvents;
  readonly random: () => number;
  readonly errorBytesMax: number;
  readonly databaseNowMs: () => number;
  /** True while others may take this process for dead: what it has claimed may be running elsewhere. */
  readonly isCutOff: () => boolean;
}

/** A snooze costs nothing, so it may not be so short that a task spins. */
const SNOOZE_MS_MIN = 100;

/** So many results may be on their way to the database before a handler's slot waits for its own. */
const UNWRITTEN_MAX = 20;
const SLOT_HOLD_MS_MAX = 2_000;

/** Runs claimed tasks and records what became of them. */
export class Runner {
  readonly #parts: RunnerParts;
  readonly #attempts = new Set<Attempt>();
  readonly #suspects = new Suspects();
  #ended = 0;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Attempts that have ended since the start. */
  get ended(): number {
    return this.#ended;
  }

  /** Divides claimed tasks into those that may run now and suspects that must wait for another one to end. */
  admit(tasks: readonly ClaimedTask[], maxRecycles: number): { admitted: ClaimedTask[]; waiting: ClaimedTask[] } {
    const admitted: ClaimedTask[] = [];
    const waiting: ClaimedTask[] = [];
    for (const task of tasks) {
      if (!Suspects.isSuspect(task, maxRecycles) || this.#suspects.enter(task)) admitted.push(task);
      else waiting.push(task);
    }
    return { admitted, waiting };
  }

  /** Forgets that a suspect was admitted, because it was given back instead of run. */
  dismiss(tasks: readonly ClaimedTask[]): void {
    for (const task of tasks) this.#suspects.leave(task);
  }

  /** Cuts every attempt under way short; answers how many there were. */
  abortAll(cause: AbortCause): number {
    const count = this.#attempts.size;
    for (const attempt of this.#attempts) attempt.abort(cause);
    return count;
  }

  /** Gives claims back whose handlers have not begun, because this process has been cut off from the database. */
  abandon(tasks: readonly ClaimedTask[]): void {
    this.dismiss(tasks);
    if (tasks.length > 0) void this.#parts.writer.release(tasks, CUT_OFF);
  }

  /**
   * One attempt from start to record; its slot is free when this resolves, which is before the result is written unless
   * too many are being written already. Never rejects.
   */
  async run(task: ClaimedTask, handler: Handler, settings: EventTypeSettings, isEager: boolean): Promise<void> {
    if (this.#parts.isCutOff()) {
      this.abandon([task]);
      return;
    }
    const { clock } = this.#parts.attempt;
    const startedMs = clock.monotonicMs();
    const attempt = new Attempt(task, handler, settings.timeLimitMs, this.#parts.attempt);
    this.#attempts.add(attempt);
    this.#parts.events.emit("started", { eventType: task.eventType, id: task.id, claimNo: task.claimNo, isEager });
    try {
      crashPoint("attempt.begun");
      const outcome = await attempt.run();
      crashPoint("attempt.ended");
      await this.#keepPace(this.#record(task, settings, outcome, clock.monotonicMs() - startedMs, attempt.isRefused));
    } catch (error) {
      this.#parts.events.emit("loopError", { loop: `attempt ${task.id}`, error });
    } finally {
      this.#attempts.delete(attempt);
      this.#ended++;
      this.#suspects.leave(task);
    }
  }

  /**
   * Handlers that end faster than the database can be told keep their slots until their results are written, so that
   * results never pile up; but not for long, for a database that is away must hold up no shutdown.
   */
  async #keepPace(writing: Promise<void> | undefined): Promise<void> {
    const { attempt, writer } = this.#parts;
    if (!writing || writer.backlog <= UNWRITTEN_MAX) return;
    let cancel: () => void = () => undefined;
    const limit = new Promise<void>((resolve) => {
      cancel = attempt.clock.after(SLOT_HOLD_MS_MAX, resolve);
    });
    await Promise.race([writing, limit]);
    cancel();
  }

  #record(
    task: ClaimedTask,
    settings: EventTypeSettings,
    outcome: Outcome,
    durationMs: number,
    isRefused: boolean,
  ): Promise<void> | undefined {
    const { writer, completions, errorBytesMax } = this.#parts;
    if (isRefused) return writer.refuse(task, "success", durationMs);
    switch (outcome.kind) {
      case "succeeded":
        completions.add({ task, durationMs, reason: "success" });
        return undefined;
      case "skipped":
        completions.add({ task, durationMs, reason: "skipped" });
        return undefined;
      case "completed":
        writer.completedByHandler(task, durationMs);
        return undefined;
      case "snoozed":
        return writer.snooze(
          task,
          durationMs,
          Math.max(SNOOZE_MS_MIN, boundedWaitMs(outcome.waitMs, settings.capSeconds)),
        );
      case "cancelled":
        return writer.cancel(task, durationMs);
      case "released":
        return writer.giveBack(task, durationMs, outcome.reason, outcome.delayMs);
      case "exhausted": {
        const text = `no attempt left: retry_count ${task.retryCount} has reached max_retry_count ${task.maxRetryCount}`;
        return writer.fail(task, durationMs, storedError(text, errorBytesMax), { reason: "exhausted", counted: false });
      }
      case "failed":
        return this.#recordFailure(task, settings, outcome, durationMs);
    }
  }

  #recordFailure(
    task: ClaimedTask,
    settings: EventTypeSettings,
    outcome: Extract<Outcome, { kind: "failed" }>,
    durationMs: number,
  ): Promise<void> {
    const { writer, errorBytesMax, random, databaseNowMs } = this.#parts;
    const error = storedError(outcome.thrown, errorBytesMax);
    const failures = task.retryCount + 1;
    if (outcome.isFinal || failures >= task.maxRetryCount) {
      const reason = outcome.isFinal ? "non_retryable" : "exhausted";
      return writer.fail(task, durationMs, error, { reason, counted: true });
    }
    const delayMs =
      outcome.waitMs === undefined
        ? backoffMs(
            { ...settings, strategy: task.retryStrategy, firstIntervalSeconds: task.firstRetryIntervalSeconds },
            failures,
            { random, databaseNowMs },
          )
        : boundedWaitMs(outcome.waitMs, settings.capSeconds);
    return writer.reschedule(task, durationMs, error, delayMs);
  }
}
