import { bigint, index, int, mediumtext, mysqlTable, primaryKey, text, tinyint, varchar } from "drizzle-orm/mysql-core";
import { bigId, binaryText, instant } from "./columns.ts";

/**
 * Tasks that somebody brought back from the export to look at them. Nothing of the engine reads this table; empty it
 * whenever you like. The columns and the key are those of the archive, so bringing a task back twice changes nothing.
 */
export const taskRestored = mysqlTable(
  "t_retry_task_restored",
  {
    id: bigint("id", { mode: "bigint" }).notNull(),
    archivedTime: instant("archived_time").notNull(),
    eventType: binaryText("event_type", 64).notNull(),
    bizKey: binaryText("biz_key", 128).notNull(),
    bizContext: mediumtext("biz_context").notNull(),
    status: tinyint("status").notNull(),
    retryCount: int("retry_count").notNull(),
    maxRetryCount: int("max_retry_count").notNull(),
    retryStrategy: varchar("retry_strategy", { length: 32 }).notNull(),
    firstRetryInterval: int("first_retry_interval").notNull(),
    nextRetryTime: instant("next_retry_time").notNull(),
    ip: varchar("ip", { length: 40 }),
    createTime: instant("create_time").notNull(),
    updateTime: instant("update_time").notNull(),
    owner: binaryText("owner", 64),
    claimNo: int("claim_no").notNull(),
    recycleCount: int("recycle_count").notNull(),
    lastError: text("last_error"),
    errorFingerprint: binaryText("error_fingerprint", 16),
    finishReason: varchar("finish_reason", { length: 16 }),
    startedTime: instant("started_time"),
    finishedTime: instant("finished_time"),
    traceParent: varchar("trace_parent", { length: 64 }),
    parentId: bigId("parent_id"),
    origin: varchar("origin", { length: 64 }),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.archivedTime] }),
    index("idx_biz").on(table.bizKey, table.eventType, table.id),
  ],
);
