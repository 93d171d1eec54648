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

  /** One attempt from start to record; its slot is free when this resolves. Never rejects. */
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
      this.#record(task, settings, outcome, clock.monotonicMs() - startedMs, attempt.isRefused);
    } catch (error) {
      this.#parts.events.emit("loopError", { loop: `attempt ${task.id}`, error });
    } finally {
      this.#attempts.delete(attempt);
      this.#ended++;
      this.#suspects.leave(task);
    }
  }

  #record(
    task: ClaimedTask,
    settings: EventTypeSettings,
    outcome: Outcome,
    durationMs: number,
    isRefused: boolean,
  ): void {
    const { writer, completions, errorBytesMax } = this.#parts;
    if (isRefused) {
      void writer.refuse(task, "success", durationMs);
      return;
    }
    switch (outcome.kind) {
      case "succeeded":
        completions.add({ task, durationMs, reason: "success" });
        return;
      case "skipped":
        completions.add({ task, durationMs, reason: "skipped" });
        return;
      case "completed":
        writer.completedByHandler(task, durationMs);
        return;
      case "snoozed":
        void writer.snooze(
          task,
          durationMs,
          Math.max(SNOOZE_MS_MIN, boundedWaitMs(outcome.waitMs, settings.capSeconds)),
        );
        return;
      case "cancelled":
        void writer.cancel(task, durationMs);
        return;
      case "released":
        void writer.giveBack(task, durationMs, outcome.reason, outcome.delayMs);
        return;
      case "exhausted": {
        const text = `no attempt left: retry_count ${task.retryCount} has reached max_retry_count ${task.maxRetryCount}`;
        void writer.fail(task, durationMs, storedError(text, errorBytesMax), { reason: "exhausted", counted: false });
        return;
      }
      case "failed":
        this.#recordFailure(task, settings, outcome, durationMs);
    }
  }

  #recordFailure(
    task: ClaimedTask,
    settings: EventTypeSettings,
    outcome: Extract<Outcome, { kind: "failed" }>,
    durationMs: number,
  ): void {
    const { writer, errorBytesMax, random, databaseNowMs } = this.#parts;
    const error = storedError(outcome.thrown, errorBytesMax);
    const failures = task.retryCount + 1;
    if (outcome.isFinal || failures >= task.maxRetryCount) {
      const reason = outcome.isFinal ? "non_retryable" : "exhausted";
      void writer.fail(task, durationMs, error, { reason, counted: true });
      return;
    }
    const delayMs =
      outcome.waitMs === undefined
        ? backoffMs(
            { ...settings, strategy: task.retryStrategy, firstIntervalSeconds: task.firstRetryIntervalSeconds },
            failures,
            { random, databaseNowMs },
          )
        : boundedWaitMs(outcome.waitMs, settings.capSeconds);
    void writer.reschedule(task, durationMs, error, delayMs);
  }
}
