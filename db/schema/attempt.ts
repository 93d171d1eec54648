import { bigint, index, int, mysqlTable, text, varchar } from "drizzle-orm/mysql-core";
import { bigId, binaryText, instant } from "./columns.ts";

/** What happened in a notable attempt; stored in `kind`. */
export const ATTEMPT_KINDS = [
  "retried",
  "failed",
  "snoozed",
  "recycled",
  "stale",
  "reset",
  "cancelled",
  "replayed",
  "undone",
  "run_now",
  "edited",
] as const;
export type AttemptKind = (typeof ATTEMPT_KINDS)[number];

/**
 * The history of a task's notable moments: failures, recycles, refused late results (the zombie ledger, kind `stale`)
 * and manual actions. `idx_task` serves the task's timeline, `idx_kind_time` the fleet-wide lists by kind.
 */
export const attempt = mysqlTable(
  "t_retry_attempt",
  {
    id: bigint("id", { mode: "bigint" }).autoincrement().primaryKey(),
    taskId: bigId("task_id").notNull(),
    eventType: binaryText("event_type", 64).notNull(),
    kind: varchar("kind", { length: 16 }).notNull(),
    retryCount: int("retry_count").notNull(),
    claimNo: int("claim_no").notNull(),
    owner: binaryText("owner", 64),
    actor: varchar("actor", { length: 64 }),
    detail: varchar("detail", { length: 512 }),
    error: text("error"),
    errorFingerprint: binaryText("error_fingerprint", 16),
    durationMs: bigint("duration_ms", { mode: "number" }),
    nextRetryTime: instant("next_retry_time"),
    createTime: instant("create_time").notNull(),
  },
  (table) => [
    index("idx_task").on(table.taskId, table.id),
    index("idx_kind_time").on(table.kind, table.createTime, table.id),
  ],
);
