import { Cron } from "croner";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { MySqlTransaction } from "drizzle-orm/mysql-core";
import type { MySql2PreparedQueryHKT, MySql2QueryResultHKT } from "drizzle-orm/mysql2";
import {
  type EventTypeOverrides,
  type KeptSeconds,
  eventTypeOverridesSchema,
  settingsProblems,
} from "../../db/event-type-settings.ts";
import { type Cancel, RedriveError, type Snooze, type When } from "./errors.ts";
import type { Logger } from "./logger.ts";

/** A task as its handler sees it. */
export interface Task<Context = unknown> {
  /** Decimal text: 64-bit ids do not fit a JavaScript number. */
  readonly id: string;
  readonly eventType: string;
  readonly bizKey: string;
  /** The payload, parsed from JSON and through the handler's schema. Numbers above 2^53 lose digits here: see the text. */
  readonly bizContext: Context;
  /** The payload exactly as it is stored. */
  readonly bizContextText: string;
  /** Failed attempts so far. */
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly recycleCount: number;
  readonly claimNo: number;
}

/** A Drizzle transaction over mysql2. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the schema parameters are the caller's own
export type DrizzleTransaction = MySqlTransaction<MySql2QueryResultHKT, MySql2PreparedQueryHKT, any, any>;

/** What an attempt may use while it runs. */
export interface AttemptContext {
  /** Number of this attempt among the counted ones, from 1. */
  readonly attempt: number;
  readonly claimNo: number;
  /** The same for every attempt of this task and for no other task: send it to the downstream. */
  readonly idempotencyKey: string;
  /** Aborts at the time limit, when the claim may no longer be held, and when a shutdown's grace time is over. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly traceParent: string | undefined;
  /**
   * Commits the writes of `work` and the task's success in one transaction: the effect happens exactly once. The
   * transaction is READ COMMITTED, of the same kind as the engine's `database` (Drizzle transaction or mysql2 connection).
   * @throws ClaimLostError if the task is no longer this worker's; everything is rolled back.
   */
  transaction<Result, Tx = DrizzleTransaction>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
}

/** What a classifier makes of an error: a counted failure, a failure for good, or a counted failure with its own wait. */
export type ErrorVerdict = "retry" | "fail" | { readonly retryAfter: When };

export interface HandlerRetryOptions {
  readonly strategy?: EventTypeOverrides["strategy"];
  readonly firstIntervalSeconds?: number;
  readonly maxRetryCount?: number;
  readonly levelsSeconds?: readonly number[];
  readonly rangeSeconds?: readonly [number, number];
  readonly cron?: string;
  readonly jitter?: number;
  readonly capSeconds?: number;
}

/** How long tasks of the type stay where they are after their end, in seconds, or "forever". */
export interface HandlerRetentionOptions {
  /** Succeeded and cancelled tasks in the live table; default 7 days, 0: moved to the archive as soon as possible. */
  readonly liveKeptSeconds?: KeptSeconds;
  /** Failed tasks in the live table, counted from the failure; default 7 days. */
  readonly failedKeptSeconds?: KeptSeconds;
  /** In the archive, counted from the move; default "forever". */
  readonly archiveKeptSeconds?: KeptSeconds;
  /** An enqueue also finds its key among tasks archived so recently; default 0: only among live ones. */
  readonly dedupeSeconds?: number;
}

/** `false` is a counted failure; `Snooze` and `Cancel` may be returned or thrown; anything else is success. */
export type HandlerResult = void | boolean | Snooze | Cancel | null | undefined | string | number | object;

export interface HandlerOptions<Schema extends StandardSchemaV1 | undefined = undefined> {
  readonly eventType: string;
  readonly concurrency?: number;
  readonly queueSize?: number;
  readonly batchSize?: number;
  readonly pollIntervalMs?: number;
  readonly timeLimitMs?: number;
  readonly maxRecycles?: number;
  readonly retry?: HandlerRetryOptions;
  readonly retention?: HandlerRetentionOptions;
  /** Any Standard Schema (zod, valibot, arktype …): checks at enqueue and before each run, and types the payload. */
  readonly schema?: Schema;
  /** True: the work is done already; the task ends as succeeded (skipped) without a run. An error is a failed attempt. */
  readonly preCheckSkip?: (bizKey: string, ctx: AttemptContext) => Promise<boolean> | boolean;
  /** Maps an error the handler threw; left out, every error is tried again. */
  readonly classifyError?: (error: unknown) => ErrorVerdict;
  readonly handle: (
    task: Task<Schema extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<Schema> : unknown>,
    ctx: AttemptContext,
  ) => Promise<HandlerResult> | HandlerResult;
}

/** A checked handler with its settings as the registry stores them. */
export interface Handler {
  readonly eventType: string;
  readonly settings: EventTypeOverrides;
  readonly schema: StandardSchemaV1 | undefined;
  readonly preCheckSkip: ((bizKey: string, ctx: AttemptContext) => Promise<boolean> | boolean) | undefined;
  readonly classifyError: ((error: unknown) => ErrorVerdict) | undefined;
  readonly handle: (task: Task<never>, ctx: AttemptContext) => Promise<HandlerResult> | HandlerResult;
}

const OPTION_NAMES: ReadonlySet<string> = new Set([
  "eventType",
  "concurrency",
  "queueSize",
  "batchSize",
  "pollIntervalMs",
  "timeLimitMs",
  "maxRecycles",
  "retry",
  "retention",
  "schema",
  "preCheckSkip",
  "classifyError",
  "handle",
]);

/**
 * Declares how tasks of one event type are run.
 * @throws RedriveError INVALID_OPTION that names every wrong or unknown option.
 */
export function defineHandler<Schema extends StandardSchemaV1 | undefined = undefined>(
  options: HandlerOptions<Schema>,
): Handler {
  const problems: string[] = [];
  const nameProblem = eventTypeProblem(options.eventType);
  if (nameProblem) problems.push(nameProblem);
  for (const name of Object.keys(options)) {
    if (!OPTION_NAMES.has(name)) problems.push(`unknown option "${name}"`);
  }
  if (typeof options.handle !== "function") problems.push("handle must be a function");
  for (const name of ["preCheckSkip", "classifyError"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "function") problems.push(`${name} must be a function`);
  }
  const { retry, retention, concurrency, queueSize, batchSize, pollIntervalMs, timeLimitMs, maxRecycles } = options;
  const declared = withoutUndefined({
    concurrency,
    queueSize,
    batchSize,
    pollIntervalMs,
    timeLimitMs,
    maxRecycles,
    ...retry,
    ...retention,
  });
  const parsed = eventTypeOverridesSchema.safeParse(declared);
  if (!parsed.success) problems.push(...settingsProblems(parsed.error));
  problems.push(...strategyProblems(declared));
  if (problems.length > 0 || !parsed.success) {
    throw new RedriveError("INVALID_OPTION", `handler ${String(options.eventType)}: ${problems.join("; ")}`);
  }
  return {
    eventType: options.eventType,
    settings: parsed.data,
    schema: options.schema,
    preCheckSkip: options.preCheckSkip,
    classifyError: options.classifyError,
    handle: options.handle as Handler["handle"],
  };
}

/** Longest event type, in characters. */
export const EVENT_TYPE_LENGTH_MAX = 64;

/** What is wrong with an event type's name, or undefined. Printable, without blanks at its ends: it is shown and typed by people. */
export function eventTypeProblem(name: unknown): string | undefined {
  if (typeof name !== "string" || name === "") return "eventType is empty";
  if ([...name].length > EVENT_TYPE_LENGTH_MAX) return `eventType is longer than ${EVENT_TYPE_LENGTH_MAX} characters`;

  if (/[\u0000-\u001f\u007f]/.test(name)) return "eventType holds a control character";
  if (!name.isWellFormed()) return "eventType holds half a surrogate pair";
  if (name.trim() !== name) return "eventType begins or ends with a blank";
  return undefined;
}

function strategyProblems(declared: Record<string, unknown>): string[] {
  const { strategy, cron } = declared;
  if (strategy === "CRON" && cron === undefined) return ["strategy CRON needs a cron expression"];
  if (typeof cron !== "string") return [];
  try {
    new Cron(cron, { paused: true, timezone: "UTC" });
    return [];
  } catch (error) {
    return [`cron "${cron}" cannot be read: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function withoutUndefined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
