import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Database } from "../../db/client.ts";
import { crashPoint } from "../../db/crash-points.ts";
import { isMysqlOutage, isOutage } from "../../db/mysql-errors.ts";
import type { ClaimedTask } from "../../db/queries/claim-tasks.ts";
import { completeTasks } from "../../db/queries/complete-tasks.ts";
import { readPayload } from "../../db/queries/owned-tasks.ts";
import { beatStatement } from "../../db/queries/workers.ts";
import { Session } from "../../db/session.ts";
import type { Clock } from "./clock.ts";
import type { DatabaseHealth } from "./database-health.ts";
import { ClaimLostError, RedriveError } from "./errors.ts";
import type { AttemptContext, Handler, Task } from "./handler.ts";
import { childLogger, type Logger } from "./logger.ts";
import { type Outcome, outcomeOfResult, outcomeOfThrown } from "./outcome.ts";
import type { TransactionRunner } from "./service-transactions.ts";
import { seamOf, type TransactionHandle } from "./transaction-handle.ts";

/** After a handler lost its connection while the engine's own stood, they are tried once more so much later. */
const SECOND_LOOK_MS = 500;

/** Why a claim was given back by a process that could no longer tell the others that it lives. */
export const CUT_OFF = "cut off from the database";

/** Why an attempt was cut short from outside. */
export type AbortCause = "time_limit" | "shutdown" | "lapsed";

class AttemptAborted extends Error {
  override readonly name = "AttemptAborted";
  readonly abortCause: AbortCause;

  constructor(abortCause: AbortCause, message: string) {
    super(message);
    this.abortCause = abortCause;
  }
}

export interface AttemptParts {
  readonly database: Database;
  readonly transactions: TransactionRunner;
  readonly owner: string;
  readonly clock: Clock;
  readonly health: DatabaseHealth;
  readonly log: Logger;
}

/** One run of a handler for one claim, from the payload to its outcome. */
export class Attempt {
  readonly task: ClaimedTask;
  readonly #handler: Handler;
  readonly #parts: AttemptParts;
  readonly #timeLimitMs: number;
  /** Made when the handler first asks for the signal: most never do, and it costs more than the rest of an attempt. */
  #controller: AbortController | undefined;
  #aborted: AttemptAborted | undefined;
  #endNow: (error: AttemptAborted) => void = () => undefined;
  #isCompleted = false;
  #isRefused = false;

  constructor(task: ClaimedTask, handler: Handler, timeLimitMs: number, parts: AttemptParts) {
    this.task = task;
    this.#handler = handler;
    this.#timeLimitMs = timeLimitMs;
    this.#parts = parts;
  }

  /** True if `ctx.transaction` found that the claim is no longer held. */
  get isRefused(): boolean {
    return this.#isRefused && !this.#isCompleted;
  }

  /**
   * Aborts the handler's signal. A time limit and the end of a shutdown's grace also end the attempt at once, whether
   * the handler listens or not; a lapsed liveness leaves it to the handler, for its result may still be accepted.
   */
  abort(cause: AbortCause): void {
    const error = new AttemptAborted(cause, ABORT_TEXT[cause](this.#timeLimitMs));
    this.#aborted ??= error;
    this.#controller?.abort(this.#aborted);
    if (cause !== "lapsed") this.#endNow(error);
  }

  /** Runs the handler. Never rejects: every end is an outcome. */
  async run(): Promise<Outcome> {
    const { task } = this;
    if (task.retryCount >= task.maxRetryCount) return { kind: "exhausted" };
    const cancelTimer = this.#parts.clock.after(this.#timeLimitMs, () => this.abort("time_limit"));
    try {
      // Whichever comes first: the end of the work, or that of waiting for it. A handler that goes on then is not heard.
      const outcome = await new Promise<Outcome>((resolve, reject) => {
        this.#endNow = reject;
        this.#work().then(resolve, reject);
      });
      return this.#isCompleted ? { kind: "completed" } : outcome;
    } catch (error) {
      if (this.#isCompleted) return { kind: "completed" };
      // What was thrown may fight back (a proxy, a getter that throws itself); it is one counted failure all the same.
      return await this.#outcomeOfThrown(error).catch((): Outcome => ({
        kind: "failed",
        thrown: error,
        isFinal: false,
      }));
    } finally {
      cancelTimer();
    }
  }

  async #work(): Promise<Outcome> {
    const { task } = this;
    const handler = this.#handler;
    const text = task.bizContext ?? (await this.#readPayload());
    const payload = await parsePayload(text, handler.schema);
    const context = this.#context();
    if (handler.preCheckSkip && (await handler.preCheckSkip(task.bizKey, context)) === true) return { kind: "skipped" };
    const shown: Task<never> = {
      id: task.id,
      eventType: task.eventType,
      bizKey: task.bizKey,
      bizContext: payload as never,
      bizContextText: text,
      retryCount: task.retryCount,
      maxRetryCount: task.maxRetryCount,
      recycleCount: task.recycleCount,
      claimNo: task.claimNo,
    };
    // The payload took its time, and the claim may no longer be held.
    if (this.#aborted) throw this.#aborted;
    return outcomeOfResult(await handler.handle(shown, context));
  }

  async #readPayload(): Promise<string> {
    const { database, health } = this.#parts;
    try {
      return (await database.use((session) => readPayload(session, this.task.id))) ?? "";
    } catch (error) {
      health.noteError(error);
      throw isOutage(error) ? new PayloadAwayError("the payload cannot be read now", { cause: error }) : error;
    }
  }

  async #outcomeOfThrown(thrown: unknown): Promise<Outcome> {
    const reason = this.#aborted;
    if (reason) {
      if (reason.abortCause === "shutdown") return { kind: "released", reason: "shutdown" };
      if (reason.abortCause === "lapsed") return { kind: "released", reason: CUT_OFF };
      return { kind: "failed", thrown: reason, isFinal: false };
    }
    if (thrown instanceof ClaimLostError) return { kind: "released", reason: "claim lost" };
    if (thrown instanceof PayloadAwayError) return { kind: "released", reason: "database outage", delayMs: 1_000 };
    if (isMysqlOutage(thrown) && (await this.#isDatabaseAway())) {
      return { kind: "released", reason: "database outage", delayMs: 1_000 };
    }
    return outcomeOfThrown(thrown, this.#handler.classifyError);
  }

  /**
   * True if the engine's own statements meet the outage too: then the handler's failure is not its own. Asked twice:
   * sessions that are ended one after another may begin with this handler's.
   */
  async #isDatabaseAway(): Promise<boolean> {
    if (await this.#isDatabaseAwayNow()) return true;
    await this.#parts.clock.sleep(SECOND_LOOK_MS, this.#signal);
    return this.#isDatabaseAwayNow();
  }

  async #isDatabaseAwayNow(): Promise<boolean> {
    const { health, database } = this.#parts;
    if (health.hadTroubleWithin(15_000) || database.lostConnectionWithin(15_000)) return true;
    try {
      await database.use((session) => session.change(beatStatement(database.zone, this.#parts.owner)));
      return false;
    } catch (error) {
      health.noteError(error);
      return true;
    }
  }

  get #signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#aborted);
    }
    return this.#controller.signal;
  }

  #context(): AttemptContext {
    const { task } = this;
    const parts = this.#parts;
    const signalOf = (): AbortSignal => this.#signal;
    let log: Logger | undefined;
    return {
      attempt: task.retryCount + 1,
      claimNo: task.claimNo,
      idempotencyKey: `${task.eventType}:${task.id}`,
      get signal() {
        return signalOf();
      },
      get log() {
        log ??= childLogger(parts.log, { eventType: task.eventType, taskId: task.id, claimNo: task.claimNo });
        return log;
      },
      traceParent: task.traceParent,
      transaction: (work) => this.#transaction(work as (tx: unknown) => Promise<never>),
    };
  }

  async #transaction<Result>(work: (tx: unknown) => Promise<Result>): Promise<Result> {
    const { task } = this;
    const { owner, transactions, database } = this.#parts;
    if (this.#aborted) throw this.#aborted;
    if (this.#isCompleted) {
      throw new RedriveError(
        "ENGINE_STATE",
        `task ${task.id} was completed by an earlier ctx.transaction of this attempt`,
      );
    }
    const result = await transactions.run(async ({ tx }) => {
      const value = await work(tx);
      const session = new Session(seamOf(tx as TransactionHandle), database.zone);
      if ((await completeTasks(session, owner, [task])) === 0) {
        this.#isRefused = true;
        throw new ClaimLostError(task.id, task.claimNo);
      }
      crashPoint("completion.changed");
      return value;
    }, "read committed");
    this.#isCompleted = true;
    crashPoint("completion.committed");
    return result;
  }
}

const ABORT_TEXT: Record<AbortCause, (timeLimitMs: number) => string> = {
  time_limit: (timeLimitMs) => `the handler did not end within its time limit of ${timeLimitMs} ms`,
  shutdown: () => "the process is stopping",
  lapsed: () => "this process has been cut off from the database for so long that the task may be running elsewhere",
};

/** The stored text as the handler gets it. An unreadable payload is a failed attempt like any other. */
async function parsePayload(text: string, schema: StandardSchemaV1 | undefined): Promise<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new PayloadError(`the stored payload is not JSON (${(error as Error).message})`);
  }
  if (!schema) return value;
  const result = await schema["~standard"].validate(value);
  if (result.issues) throw new PayloadError(`the stored payload does not fit the schema: ${issuesText(result.issues)}`);
  return result.value;
}

/** The issues of a Standard Schema as one line, with the path of each. */
export function issuesText(issues: readonly StandardSchemaV1.Issue[]): string {
  return issues
    .slice(0, 10)
    .map((issue) => {
      const path = (issue.path ?? [])
        .map((part) => (typeof part === "object" ? String(part.key) : String(part)))
        .join(".");
      return path === "" ? issue.message : `${path}: ${issue.message}`;
    })
    .join("; ");
}

class PayloadError extends Error {
  override readonly name = "PayloadError";
}

/** The engine's own read of a long payload met an outage: the handler has not run, so nothing is counted. */
class PayloadAwayError extends Error {
  override readonly name = "PayloadAwayError";
}
