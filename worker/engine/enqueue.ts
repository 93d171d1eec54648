import type { StandardSchemaV1 } from "@standard-schema/spec";
import {
  BACKOFF_SECONDS_MAX,
  type EventTypeSettings,
  RETRY_STRATEGIES,
  type RetryStrategy,
} from "../../db/event-type-settings.ts";
import type { TaskStatus } from "../../db/schema/task-status.ts";
import { issuesText } from "./attempt.ts";
import { EnqueueError, type RedriveErrorCode } from "./errors.ts";

export interface EnqueueTask {
  readonly eventType: string;
  /** The caller's own id, 1 to 128 characters, unique together with the event type while the task is live. */
  readonly bizKey: string;
  /** Any JSON value (left out: null); stored as its JSON text. */
  readonly bizContext?: unknown;
  /** JSON text instead of a value, stored as it is: for integers above 2^53, which a JavaScript number cannot hold. */
  readonly bizContextText?: string;
  /** First run not before so many milliseconds from now: 0 to ten years. */
  readonly delayMs?: number;
  /** First run not before this instant, at most ten years ahead. */
  readonly runAt?: Date;
  readonly maxRetryCount?: number;
  readonly retryStrategy?: RetryStrategy;
  readonly firstIntervalSeconds?: number;
  readonly traceParent?: string;
  readonly parentId?: string;
  /** What to do about a task with the same key (see `EnqueueVerdict.id`): answer with its id (default), or throw DuplicateTaskError. */
  readonly onDuplicate?: "return" | "throw";
}

export interface EnqueueVerdict {
  /** Of the new task, or of the live one with the same key, or of an archived one within the type's dedupe window. */
  readonly id: string;
  readonly inserted: boolean;
  /** Status of the row the id names. */
  readonly status: TaskStatus | undefined;
}

/** A task that passed every check, with its settings filled in. */
export interface CheckedTask {
  readonly eventType: string;
  readonly bizKey: string;
  readonly bizContext: string;
  readonly maxRetryCount: number;
  readonly retryStrategy: RetryStrategy;
  readonly firstRetryIntervalSeconds: number;
  readonly due: { readonly delayMs: number } | { readonly at: Date };
  readonly isDueNow: boolean;
  readonly traceParent: string | undefined;
  readonly parentId: string | undefined;
  readonly onDuplicate: "return" | "throw";
  /** Archived so recently, a task with the same key counts as a duplicate; 0: none does. */
  readonly dedupeSeconds: number;
}

export const BIZ_KEY_LENGTH_MAX = 128;
const TEN_YEARS_MS = 315_360_000_000;
const ID_MAX = 2n ** 63n - 1n;

const OPTION_NAMES: ReadonlySet<string> = new Set([
  "eventType",
  "bizKey",
  "bizContext",
  "bizContextText",
  "delayMs",
  "runAt",
  "maxRetryCount",
  "retryStrategy",
  "firstIntervalSeconds",
  "traceParent",
  "parentId",
  "onDuplicate",
]);

/**
 * Checks a task before anything is sent to the database. A promise only where a schema is asked, which may take its time.
 * @throws EnqueueError whose code and message name what is wrong, the size and the limit.
 */
export function checkTask(
  task: EnqueueTask,
  type: { readonly settings: EventTypeSettings; readonly schema: StandardSchemaV1 | undefined },
  payloadBytesMax: number,
): CheckedTask | Promise<CheckedTask> {
  const { settings, schema } = type;
  const refuse = (code: RedriveErrorCode, problem: string, cause?: unknown): EnqueueError =>
    new EnqueueError(code, `task ${shown(task.eventType)}/${shown(task.bizKey)}: ${problem}`, { cause });
  for (const name of Object.keys(task)) {
    if (!OPTION_NAMES.has(name)) throw refuse("INVALID_OPTION", `unknown option "${name}"`);
  }
  const keyProblem = bizKeyProblem(task.bizKey);
  if (keyProblem) throw refuse("INVALID_BIZ_KEY", keyProblem);
  const maxRetryCount = task.maxRetryCount ?? settings.maxRetryCount;
  if (!isWhole(maxRetryCount, 1, 1_000_000)) {
    throw refuse("INVALID_OPTION", `maxRetryCount ${shown(maxRetryCount)} is not a whole number from 1 to 1000000`);
  }
  const firstRetryIntervalSeconds = task.firstIntervalSeconds ?? settings.firstIntervalSeconds;
  if (!isWhole(firstRetryIntervalSeconds, 1, BACKOFF_SECONDS_MAX)) {
    throw refuse(
      "INVALID_OPTION",
      `firstIntervalSeconds ${shown(firstRetryIntervalSeconds)} is not a whole number from 1 to ${BACKOFF_SECONDS_MAX} (24 h)`,
    );
  }
  const retryStrategy = task.retryStrategy ?? settings.strategy;
  if (!RETRY_STRATEGIES.includes(retryStrategy)) {
    throw refuse(
      "INVALID_OPTION",
      `retryStrategy "${shown(retryStrategy)}" is not one of ${RETRY_STRATEGIES.join(", ")}`,
    );
  }
  const onDuplicate: unknown = task.onDuplicate ?? "return";
  if (onDuplicate !== "return" && onDuplicate !== "throw") {
    throw refuse("INVALID_OPTION", `onDuplicate "${shown(onDuplicate)}" is not "return" or "throw"`);
  }
  const due = dueOf(task, refuse);
  if (task.parentId !== undefined && !isId(task.parentId)) {
    throw refuse("INVALID_OPTION", `parentId "${shown(task.parentId)}" is not a task id`);
  }
  if (task.traceParent !== undefined && (typeof task.traceParent !== "string" || task.traceParent.length > 64)) {
    throw refuse("INVALID_OPTION", "traceParent is not a text of at most 64 characters");
  }
  const bizContext = payloadText(task, refuse);
  const bytes = Buffer.byteLength(bizContext, "utf8");
  if (bytes > payloadBytesMax) {
    throw refuse(
      "PAYLOAD_TOO_LARGE",
      `the payload has ${bytes} bytes, the limit is ${payloadBytesMax} (payloadBytesMax)`,
    );
  }
  const checked: CheckedTask = {
    eventType: task.eventType,
    bizKey: task.bizKey,
    bizContext,
    maxRetryCount,
    retryStrategy,
    firstRetryIntervalSeconds,
    due,
    isDueNow: "delayMs" in due && due.delayMs === 0,
    traceParent: task.traceParent,
    parentId: task.parentId,
    onDuplicate,
    dedupeSeconds: settings.dedupeSeconds,
  };
  return schema ? checkSchema(schema, bizContext, refuse).then(() => checked) : checked;
}

/** What is wrong with a biz key, or undefined. */
export function bizKeyProblem(key: unknown): string | undefined {
  if (typeof key !== "string") return `bizKey is a ${key === null ? "null" : typeof key}, not a text`;
  if (key === "") return "bizKey is empty";
  // It has no more characters than code units, which need no counting.
  const length = key.length <= BIZ_KEY_LENGTH_MAX ? key.length : [...key].length;
  if (length > BIZ_KEY_LENGTH_MAX) return `bizKey has ${length} characters, the limit is ${BIZ_KEY_LENGTH_MAX}`;
  if (key.includes("\0")) return "bizKey holds a NUL character";
  if (!key.isWellFormed()) return "bizKey holds half a surrogate pair";
  return undefined;
}

/** A value for a message, whatever plain JavaScript has passed: at most 80 characters, never an error of its own. */
export function shown(value: unknown): string {
  try {
    return String(value).slice(0, 80);
  } catch {
    return `a ${typeof value}`;
  }
}

export function isId(text: unknown): text is string {
  return typeof text === "string" && /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= ID_MAX;
}

type Refuse = (code: RedriveErrorCode, problem: string, cause?: unknown) => EnqueueError;

function dueOf(task: EnqueueTask, refuse: Refuse): CheckedTask["due"] {
  const { delayMs, runAt } = task;
  if (delayMs !== undefined && runAt !== undefined) {
    throw refuse("INVALID_OPTION", "delayMs and runAt are both given; choose one");
  }
  if (runAt !== undefined) {
    if (!(runAt instanceof Date) || Number.isNaN(runAt.getTime()))
      throw refuse("INVALID_OPTION", "runAt is not a valid Date");
    if (Math.abs(runAt.getTime() - Date.now()) > TEN_YEARS_MS) {
      throw refuse("INVALID_OPTION", `runAt ${runAt.toISOString()} is more than ten years away`);
    }
    return { at: runAt };
  }
  const delay = delayMs ?? 0;
  if (!isWhole(delay, 0, TEN_YEARS_MS)) {
    throw refuse(
      "INVALID_OPTION",
      `delayMs ${shown(delay)} is not a whole number from 0 to ${TEN_YEARS_MS} (ten years)`,
    );
  }
  return { delayMs: delay };
}

/** The payload as it will be stored. */
function payloadText({ bizContext, bizContextText }: EnqueueTask, refuse: Refuse): string {
  if (bizContextText !== undefined && bizContext !== undefined) {
    throw refuse("INVALID_OPTION", "bizContext and bizContextText are both given; choose one");
  }
  const text = bizContextText === undefined ? textOf(bizContext, refuse) : checkedText(bizContextText, refuse);
  if (!text.isWellFormed()) throw refuse("INVALID_PAYLOAD", "the payload text holds half a surrogate pair");
  return text;
}

function textOf(value: unknown, refuse: Refuse): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value ?? null);
  } catch (error) {
    throw refuse(
      "INVALID_PAYLOAD",
      `the payload cannot be written as JSON (${shown(error instanceof Error ? error.message : error)})`,
      error,
    );
  }
  if (text === undefined) throw refuse("INVALID_PAYLOAD", `a ${typeof value} cannot be written as JSON`);
  return text;
}

function checkedText(text: unknown, refuse: Refuse): string {
  if (typeof text !== "string") throw refuse("INVALID_PAYLOAD", `bizContextText is a ${typeof text}, not a text`);
  try {
    JSON.parse(text);
  } catch (error) {
    throw refuse(
      "INVALID_PAYLOAD",
      `bizContextText is not JSON (${shown(error instanceof Error ? error.message : error)})`,
      error,
    );
  }
  return text;
}

/** The schema sees what the handler will see: dates are texts by then, and what JSON leaves out is gone. */
async function checkSchema(schema: StandardSchemaV1, text: string, refuse: Refuse): Promise<void> {
  const result = await schema["~standard"].validate(JSON.parse(text));
  if (result.issues) {
    throw refuse("INVALID_PAYLOAD", `the payload does not fit the schema: ${issuesText(result.issues)}`);
  }
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
}
