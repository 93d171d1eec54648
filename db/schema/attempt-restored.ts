import { bigint, index, int, mysqlTable, primaryKey, text, varchar } from "drizzle-orm/mysql-core";
import { bigId, binaryText, instant } from "./columns.ts";

/** The history of restored tasks, beside `t_retry_task_restored` and as unimportant to the engine. */
export const attemptRestored = mysqlTable(
  "t_retry_attempt_restored",
  {
    id: bigint("id", { mode: "bigint" }).notNull(),
    archivedTime: instant("archived_time").notNull(),
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
  (table) => [primaryKey({ columns: [table.id, table.archivedTime] }), index("idx_task").on(table.taskId, table.id)],
);
