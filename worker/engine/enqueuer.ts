import { crashPoint } from "../../db/crash-points.ts";
import { isDuplicateKey } from "../../db/mysql-errors.ts";
import type { ClaimedTask } from "../../db/queries/claim-tasks.ts";
import { findNewestTask, findTaskIds, insertedIds, type KeyedTask } from "../../db/queries/find-task-id.ts";
import { insertTasks, type NewTask } from "../../db/queries/insert-tasks.ts";
import { findArchivedKeys } from "../../db/queries/list-archive.ts";
import { Session } from "../../db/session.ts";
import type { SessionZone } from "../../db/session-zone.ts";
import type { CommitHooks } from "./after-commit.ts";
import type { Clock } from "./clock.ts";
import { type CheckedTask, checkTask, type EnqueueTask, type EnqueueVerdict, isId, shown } from "./enqueue.ts";
import { DuplicateTaskError, EnqueueError, RedriveError } from "./errors.ts";
import type { EventTypeRuntime } from "./event-type-runtime.ts";
import type { HeldClaims } from "./held-claims.ts";
import { seamOf, type TransactionHandle } from "./transaction-handle.ts";
import type { EventTypeSettings } from "../../db/event-type-settings.ts";

/** Rows of one insert at most; larger calls are cut into several statements. */
const CHUNK_ROWS_MAX = 500;
/** Payload bytes of one insert at most, or one payload: what a statement may hold was checked against that at start. */
const CHUNK_BYTES_MIN = 131_072;

export interface EnqueuerParts {
  readonly owner: string;
  readonly ip: string;
  readonly origin: string | undefined;
  readonly zone: SessionZone;
  readonly payloadBytesMax: number;
  readonly held: HeldClaims;
  readonly clock: Clock;
  readonly databaseNowMs: () => number;
  readonly types: ReadonlyMap<string, EventTypeRuntime>;
  /** Settings of a type that has no handler here but is registered; undefined if nobody knows it. */
  readonly settingsOf: (eventType: string) => Promise<EventTypeSettings | undefined>;
  /** True if a new task of this type may run in this process right after its commit. */
  readonly mayRunEagerly: (runtime: EventTypeRuntime) => boolean;
}

/** Creates tasks in the caller's transaction, born claimed where this process has a free place for them. */
export class Enqueuer {
  readonly #parts: EnqueuerParts;
  readonly #claim: { readonly owner: string; readonly ip: string };

  constructor(parts: EnqueuerParts) {
    this.#parts = parts;
    this.#claim = { owner: parts.owner, ip: parts.ip };
  }

  /** Checks all, then inserts all. One wrong task: nothing of the call is sent to the database. */
  async enqueue(
    handle: TransactionHandle,
    tasks: readonly EnqueueTask[],
    hooksOf: () => CommitHooks,
  ): Promise<EnqueueVerdict[]> {
    const session = new Session(seamOf(handle), this.#parts.zone);
    const checked = await this.#checkAll(tasks);
    crashPoint("enqueue.checked");
    const hooks = hooksOf();
    const verdicts: EnqueueVerdict[] = [];
    const bytesMax = Math.max(CHUNK_BYTES_MIN, this.#parts.payloadBytesMax);
    try {
      for (const chunk of chunksOf(checked, bytesMax)) {
        verdicts.push(...(await this.#insertChunk(session, chunk, hooks)));
      }
    } catch (error) {
      // A deadlock victim has been undone as a whole, whether its caller lets it commit or not.
      hooks.mustVerify = true;
      throw error;
    }
    return verdicts;
  }

  async #checkAll(tasks: readonly EnqueueTask[]): Promise<CheckedTask[]> {
    const checked: CheckedTask[] = [];
    for (const [index, task] of tasks.entries()) {
      const { eventType }: { readonly eventType?: unknown } = (task as EnqueueTask | null) ?? {};
      const isName = typeof eventType === "string";
      const runtime = isName ? this.#parts.types.get(eventType) : undefined;
      const settings = runtime?.settings ?? (isName ? await this.#parts.settingsOf(eventType) : undefined);
      if (!settings) {
        throw new EnqueueError(
          "UNKNOWN_EVENT_TYPE",
          `event type "${shown(eventType)}" is unknown: no handler here declares it and no worker has registered it`,
        );
      }
      try {
        const one = checkTask(task, { settings, schema: runtime?.handler.schema }, this.#parts.payloadBytesMax);
        checked.push(one instanceof Promise ? await one : one);
      } catch (error) {
        if (!(error instanceof EnqueueError) || tasks.length === 1) throw error;
        throw new EnqueueError(error.code, `task ${index} of ${tasks.length}: ${error.message}`, { cause: error });
      }
    }
    return checked;
  }

  async #insertChunk(session: Session, chunk: readonly CheckedTask[], hooks: CommitHooks): Promise<EnqueueVerdict[]> {
    const [only] = chunk;
    if (only && chunk.length === 1 && only.dedupeSeconds === 0) return [await this.#insertOne(session, only, hooks)];
    const verdicts = new Map<CheckedTask, EnqueueVerdict>();
    // The same key twice in one call is one task.
    const firstOfKey = new Map<string, CheckedTask>();
    for (const one of chunk) if (!firstOfKey.has(keyOf(one))) firstOfKey.set(keyOf(one), one);
    let missing = [...firstOfKey.values()];
    const take = (rows: readonly KeyedTask[]): void => {
      const existing = new Map(rows.map((row) => [keyOf(row), row]));
      for (const one of missing) {
        const row = existing.get(keyOf(one));
        if (row) verdicts.set(one, existingVerdict(one, row));
      }
      missing = missing.filter((one) => !verdicts.has(one));
    };
    const windows = missing.some((one) => one.dedupeSeconds > 0);
    // Read first: an insert that meets a duplicate locks the gap behind it, in which other inserts would wait.
    if (missing.length > 1 || windows) take(await findTaskIds(session, missing));
    if (windows) take(await archivedTwins(session, missing));
    if (missing.length > 1) {
      const inserted = await unlessDuplicate(this.#insert(session, missing, hooks));
      for (const [index, one] of missing.entries()) if (inserted?.[index]) verdicts.set(one, inserted[index]);
    }
    // A key in the way that is younger than what this transaction can see: each is tried for itself.
    for (const one of missing) if (!verdicts.has(one)) verdicts.set(one, await this.#insertOne(session, one, hooks));
    return chunk.map((one) => {
      const first = firstOfKey.get(keyOf(one)) ?? one;
      const verdict = verdicts.get(first) ?? NO_ROW;
      if (first === one) return verdict;
      if (one.onDuplicate === "throw") throw new DuplicateTaskError(one.eventType, one.bizKey, verdict.id);
      return { ...verdict, inserted: false };
    });
  }

  /**
   * One task, or the live one in its way. Only the key that raised 1062 is read with a lock: its row is there, so no gap
   * is locked in which another business insert might want to land.
   */
  async #insertOne(session: Session, one: CheckedTask, hooks: CommitHooks): Promise<EnqueueVerdict> {
    for (let tries = 1; ; tries++) {
      try {
        const [verdict] = await this.#insert(session, [one], hooks);
        if (verdict) return verdict;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const row = await findNewestTask(session, one);
        if (row) return existingVerdict(one, row);
        // A row that vanishes between insert and look may be met again; a unique key that is not ours is the caller's.
        if (tries >= 3) throw error;
      }
    }
  }

  /** One insert. A key that exists already fails it as a whole with the database's own error. */
  async #insert(session: Session, tasks: readonly CheckedTask[], hooks: CommitHooks): Promise<EnqueueVerdict[]> {
    const places = tasks.map((one) => this.#reserve(one, hooks));
    const nowMs = this.#parts.clock.monotonicMs();
    let ids: string[];
    try {
      const rows = tasks.map((one, index) => this.#newTask(one, places[index] !== undefined));
      const change = await insertTasks(session, rows);
      crashPoint("enqueue.inserted");
      ids = await this.#idsOf(session, change.insertId, tasks);
    } catch (error) {
      for (const runtime of places) runtime?.pool.unreserve();
      throw error;
    }
    return tasks.map((one, index) => {
      const id = ids[index] ?? "0";
      const runtime = places[index];
      if (runtime) {
        // The insert itself may have waited so long that the reserved places were taken back before this one was known.
        if (hooks.isExpired) runtime.pool.unreserve();
        else this.#parts.held.add({ id, claimNo: 1 });
        hooks.dispatches.push({ task: bornClaimed(id, one), runtime });
      } else if (one.isDueNow) {
        hooks.pendingByType.set(one.eventType, (hooks.pendingByType.get(one.eventType) ?? 0) + 1);
      } else {
        const known = hooks.laterByType.get(one.eventType) ?? Number.POSITIVE_INFINITY;
        hooks.laterByType.set(one.eventType, Math.min(known, nowMs + this.#dueInMs(one)));
      }
      hooks.countByType.set(one.eventType, (hooks.countByType.get(one.eventType) ?? 0) + 1);
      return { id, inserted: true, status: runtime ? ("running" as const) : ("pending" as const) };
    });
  }

  /** From its insert, by the database's clock. */
  #dueInMs({ due }: CheckedTask): number {
    return "at" in due ? due.at.getTime() - this.#parts.databaseNowMs() : due.delayMs;
  }

  #reserve(task: CheckedTask, hooks: CommitHooks): EventTypeRuntime | undefined {
    const runtime = this.#parts.types.get(task.eventType);
    if (!runtime || !task.isDueNow || hooks.isExpired) return undefined;
    return this.#parts.mayRunEagerly(runtime) && runtime.pool.reserve() ? runtime : undefined;
  }

  #newTask(task: CheckedTask, isBornClaimed: boolean): NewTask {
    const { origin } = this.#parts;
    const { eventType, bizKey, bizContext, maxRetryCount, retryStrategy, firstRetryIntervalSeconds, due } = task;
    const { traceParent, parentId } = task;
    // Written out, because spread objects cost more than the rest of a row.
    return {
      eventType,
      bizKey,
      bizContext,
      maxRetryCount,
      retryStrategy,
      firstRetryIntervalSeconds,
      due,
      traceParent,
      parentId,
      origin,
      claim: isBornClaimed ? this.#claim : undefined,
    };
  }

  /**
   * The id of a single row comes with its insert; those of several follow from it where the last one proves it. One
   * above 2^53 has lost digits in most drivers: then all are read back by key.
   */
  async #idsOf(session: Session, insertId: unknown, tasks: readonly CheckedTask[]): Promise<string[]> {
    if (isExactId(insertId)) {
      if (tasks.length === 1) return [String(insertId)];
      const ids = await insertedIds(session, String(insertId), tasks);
      if (ids) return ids;
    }
    const found = new Map((await findTaskIds(session, tasks)).map((row) => [keyOf(row), row.id]));
    return tasks.map((one) => {
      const id = found.get(keyOf(one));
      if (id !== undefined) return id;
      throw new RedriveError(
        "ENGINE_STATE",
        `task ${one.eventType}/${one.bizKey} was inserted and cannot be read back; does the connection change its characters?`,
      );
    });
  }
}

/** Undefined instead of a duplicate key; any other error stays what it is. */
async function unlessDuplicate<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
}

function isExactId(insertId: unknown): boolean {
  return isId(String(insertId)) && (typeof insertId !== "number" || Number.isSafeInteger(insertId));
}

const NO_ROW: EnqueueVerdict = { id: "0", inserted: false, status: undefined };

/** The tasks whose type looks for its keys in the archive too, and that are there: one indexed read per window. */
async function archivedTwins(session: Session, tasks: readonly CheckedTask[]): Promise<KeyedTask[]> {
  const twins: KeyedTask[] = [];
  for (const seconds of new Set(tasks.map((one) => one.dedupeSeconds))) {
    if (seconds === 0) continue;
    const asked = tasks.filter((one) => one.dedupeSeconds === seconds);
    twins.push(...(await findArchivedKeys(session, asked, seconds * 1_000)));
  }
  return twins;
}

function existingVerdict(task: CheckedTask, row: KeyedTask): EnqueueVerdict {
  if (task.onDuplicate === "throw") throw new DuplicateTaskError(task.eventType, task.bizKey, row.id);
  return { id: row.id, inserted: false, status: row.status };
}

function keyOf(task: { readonly eventType: string; readonly bizKey: string }): string {
  return `${task.eventType}\0${task.bizKey}`;
}

function bornClaimed(id: string, task: CheckedTask): ClaimedTask {
  return {
    id,
    eventType: task.eventType,
    bizKey: task.bizKey,
    bizContext: task.bizContext,
    claimNo: 1,
    retryCount: 0,
    maxRetryCount: task.maxRetryCount,
    recycleCount: 0,
    retryStrategy: task.retryStrategy,
    firstRetryIntervalSeconds: task.firstRetryIntervalSeconds,
    nextRetryTime: "",
    traceParent: task.traceParent,
    parentId: task.parentId,
  };
}

function* chunksOf(tasks: readonly CheckedTask[], bytesMax: number): Generator<CheckedTask[]> {
  let chunk: CheckedTask[] = [];
  let bytes = 0;
  for (const one of tasks) {
    const size = Buffer.byteLength(one.bizContext, "utf8");
    if (chunk.length > 0 && (chunk.length >= CHUNK_ROWS_MAX || bytes + size > bytesMax)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(one);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}
