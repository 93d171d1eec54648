import { bigint, index, int, mediumtext, mysqlTable, primaryKey, text, tinyint, varchar } from "drizzle-orm/mysql-core";
import { bigId, binaryText, instant } from "./columns.ts";

/**
 * Finished tasks, each exactly as its live row ended. Partitioned by the UTC day of `archived_time`, so that a day's
 * purge is one DROP PARTITION and a day never changes once it is over. The key holds the time as well: neither a biz key
 * that comes again nor an id that a server hands out a second time can collide.
 *
 * `idx_biz` finds a key's tasks of all times, `idx_type_time` and `idx_cause` serve browsing by type and by cause.
 */
export const taskArchive = mysqlTable(
  "t_retry_task_archive",
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
    index("idx_type_time").on(table.eventType, table.archivedTime, table.id),
    index("idx_cause").on(table.errorFingerprint, table.archivedTime, table.id),
  ],
);
