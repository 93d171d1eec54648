import { bigint, index, int, mediumtext, mysqlTable, tinyint, uniqueIndex, varchar } from "drizzle-orm/mysql-core";
import { bigId, binaryText, instant } from "./columns.ts";

/** The answer to a request that carried an idempotency key; a second one with the same key gets it again. */
export const idempotency = mysqlTable(
  "t_retry_idempotency",
  {
    keyHash: binaryText("key_hash", 64).primaryKey(),
    requestHash: binaryText("request_hash", 64).notNull(),
    status: int("status"),
    body: mediumtext("body"),
    createTime: instant("create_time").notNull(),
  },
  (table) => [index("idx_time").on(table.createTime)],
);

/** A list's filters under a name, for one account or for all. */
export const savedView = mysqlTable(
  "t_retry_saved_view",
  {
    id: bigint("id", { mode: "bigint" }).autoincrement().primaryKey(),
    accountId: bigId("account_id").notNull(),
    page: varchar("page", { length: 32 }).notNull(),
    name: binaryText("name", 64).notNull(),
    query: varchar("query", { length: 2000 }).notNull(),
    shared: tinyint("shared").notNull().default(0),
    createTime: instant("create_time").notNull(),
  },
  (table) => [
    uniqueIndex("uk_name").on(table.accountId, table.page, table.name),
    index("idx_shared").on(table.shared, table.page),
  ],
);
