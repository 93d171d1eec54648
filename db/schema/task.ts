import { sql } from "drizzle-orm";
import {
  bigint,
  index,
  int,
  mediumtext,
  mysqlTable,
  tinyint,
  uniqueIndex,
  varchar,
  text,
} from "drizzle-orm/mysql-core";
import { bigId, binaryText, instant } from "./columns.ts";

/**
 * The local message table. One row is one piece of work that must be done at least once.
 *
 * Indexes beside the primary key: `uk_event_biz` makes an enqueue of the same key harmless and serves lookups by biz
 * key; `idx_claim` serves the claim, the recycler, the per-type lists and counts: equality on type and status, then the
 * exact order of the claim.
 */
export const task = mysqlTable(
  "t_retry_task",
  {
    id: bigint("id", { mode: "bigint" }).autoincrement().primaryKey(),
    eventType: binaryText("event_type", 64).notNull(),
    bizKey: binaryText("biz_key", 128).notNull(),
    bizContext: mediumtext("biz_context").notNull(),
    status: tinyint("status").notNull().default(0),
    retryCount: int("retry_count").notNull().default(0),
    maxRetryCount: int("max_retry_count").notNull(),
    retryStrategy: varchar("retry_strategy", { length: 32 }).notNull(),
    firstRetryInterval: int("first_retry_interval").notNull(),
    nextRetryTime: instant("next_retry_time").notNull(),
    ip: varchar("ip", { length: 40 }),
    createTime: instant("create_time")
      .notNull()
      .default(sql`CURRENT_TIMESTAMP(3)`),
    updateTime: instant("update_time")
      .notNull()
      .default(sql`CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3)`),
    owner: binaryText("owner", 64),
    claimNo: int("claim_no").notNull().default(0),
    recycleCount: int("recycle_count").notNull().default(0),
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
    uniqueIndex("uk_event_biz").on(table.bizKey, table.eventType),
    index("idx_claim").on(table.eventType, table.status, table.nextRetryTime, table.id),
  ],
);
