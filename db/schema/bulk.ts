import {
  bigint,
  double,
  index,
  int,
  mediumtext,
  mysqlTable,
  primaryKey,
  uniqueIndex,
  varchar,
} from "drizzle-orm/mysql-core";
import { bigId, binaryText, instant } from "./columns.ts";

export const BULK_STATES = [
  "awaiting_approval",
  "scheduled",
  "canary",
  "running",
  "paused",
  "finished",
  "aborted",
  "failed",
] as const;
export type BulkState = (typeof BULK_STATES)[number];

/**
 * What a bulk action does with each task. `revert` takes back what another one did; `replay` is about archived tasks and
 * makes a new one of each.
 */
export const BULK_ACTIONS = ["reset", "cancel", "revert", "replay"] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** What became of a task: changed by the action, or left alone. */
export const BULK_RESULTS = ["done", "skipped"] as const;
export type BulkResult = (typeof BULK_RESULTS)[number];

/**
 * Why an archived task was not replayed: deleted by the retention, replayed before by anybody, a live task has its type
 * and key, the archive has a newer task of its type and key, its type has no handler anywhere, its type is none of those
 * that the action was ordered for, or it succeeded and that was not confirmed. `locked`: its key was held all the time.
 */
export const REPLAY_SKIPS = [
  "purged",
  "replayed",
  "live_twin",
  "older_copy",
  "unknown_type",
  "out_of_scope",
  "unconfirmed",
] as const;
export type ReplaySkip = (typeof REPLAY_SKIPS)[number];

/**
 * Why a task was left alone: its status by then, `changed` (the status is right, but it is not the task it was: it
 * failed anew, or somebody else acted), `gone` from the live table, or `locked` by somebody all the time; or why it was not
 * replayed.
 */
export const BULK_SKIPS = [
  "pending",
  "running",
  "succeeded",
  "failed",
  "cancelled",
  "changed",
  "gone",
  "locked",
  ...REPLAY_SKIPS,
] as const;
export type BulkSkip = (typeof BULK_SKIPS)[number];

/** How the first tasks of an action went: enough of them succeeded, too few, or a person went on all the same. */
export const CANARY_VERDICTS = ["passed", "failed", "overruled"] as const;
export type CanaryVerdict = (typeof CANARY_VERDICTS)[number];

/**
 * An action on many tasks, stored before it begins and carried on by whichever worker owns it. `filter` is frozen JSON;
 * `max_id` and `bound_time` bound it to tasks that were there, and had failed, when it was made;
 * `cursor_text` is how far it has come. `request_key` makes a repeated request the same action.
 */
export const bulk = mysqlTable(
  "t_retry_bulk",
  {
    id: bigint("id", { mode: "bigint" }).autoincrement().primaryKey(),
    name: varchar("name", { length: 128 }).notNull(),
    action: varchar("action", { length: 16 }).notNull(),
    filter: mediumtext("filter").notNull(),
    maxId: bigId("max_id").notNull(),
    boundTime: instant("bound_time").notNull(),
    requestKey: binaryText("request_key", 64),
    cursorText: varchar("cursor_text", { length: 255 }),
    state: varchar("state", { length: 24 }).notNull(),
    stateReason: varchar("state_reason", { length: 512 }),
    /** Rows a second; NULL: as fast as it goes. */
    ratePerSecond: double("rate_per_second"),
    jitterMs: bigint("jitter_ms", { mode: "number" }).notNull().default(0),
    canaryRows: int("canary_rows").notNull().default(0),
    /** The share of the canary that must succeed before the rest follows, 0 to 1. */
    canaryShare: double("canary_share"),
    canaryVerdict: varchar("canary_verdict", { length: 16 }),
    reason: varchar("reason", { length: 512 }),
    actor: binaryText("actor", 64).notNull(),
    approvedBy: binaryText("approved_by", 64),
    estimate: bigint("estimate", { mode: "number" }).notNull().default(0),
    doneCount: bigint("done_count", { mode: "number" }).notNull().default(0),
    skippedCount: bigint("skipped_count", { mode: "number" }).notNull().default(0),
    failedCount: bigint("failed_count", { mode: "number" }).notNull().default(0),
    owner: binaryText("owner", 64),
    beatTime: instant("beat_time"),
    createTime: instant("create_time").notNull(),
    startTime: instant("start_time").notNull(),
    finishTime: instant("finish_time"),
    updateTime: instant("update_time").notNull(),
  },
  (table) => [uniqueIndex("uk_request").on(table.requestKey), index("idx_state").on(table.state, table.startTime)],
);

/** What became of one task of a bulk action; written in the transaction that changed it, or that left it alone. */
export const bulkItem = mysqlTable(
  "t_retry_bulk_item",
  {
    bulkId: bigId("bulk_id").notNull(),
    taskId: bigId("task_id").notNull(),
    result: varchar("result", { length: 16 }).notNull(),
    detail: varchar("detail", { length: 255 }),
    /** What a revert writes back: the task as it was, as JSON. */
    previous: varchar("previous", { length: 512 }),
    /** The claim number the action left; as long as it stands no worker has taken the task. */
    claimNo: int("claim_no").notNull(),
    /** The instant of the change, the same as the task's `update_time` while nobody has touched it since. */
    createTime: instant("create_time").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.bulkId, table.taskId] }),
    index("idx_result").on(table.bulkId, table.result, table.taskId),
  ],
);

/**
 * What became of one archived task of a bulk replay; written in the transaction that made the new task, or that did not.
 * The key lets an action come to each archived task once. A new task is noted in `t_retry_bulk_item` as well, like those
 * that other actions change.
 */
export const bulkReplay = mysqlTable(
  "t_retry_bulk_replay",
  {
    bulkId: bigId("bulk_id").notNull(),
    archivedId: bigId("archived_id").notNull(),
    archivedTime: instant("archived_time").notNull(),
    result: varchar("result", { length: 16 }).notNull(),
    detail: varchar("detail", { length: 255 }),
    /** The new task; of one that was left alone the live task that stood in its way. */
    liveId: bigId("live_id"),
    createTime: instant("create_time").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.bulkId, table.archivedId, table.archivedTime] }),
    index("idx_result").on(table.bulkId, table.result, table.archivedId, table.archivedTime),
  ],
);
