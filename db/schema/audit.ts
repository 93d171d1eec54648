import { bigint, index, mediumtext, mysqlTable, varchar } from "drizzle-orm/mysql-core";
import { binaryText, instant } from "./columns.ts";

export const ACTOR_KINDS = ["person", "token", "command", "system"] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

export const AUDIT_RESULTS = ["ok", "denied", "failed"] as const;
export type AuditResult = (typeof AUDIT_RESULTS)[number];

/**
 * Who did what, written in the transaction of the change itself. Rows are only added. `detail` is a JSON object with what
 * was before and after, masked. `correlation` joins the entries of one action.
 */
export const audit = mysqlTable(
  "t_retry_audit",
  {
    id: bigint("id", { mode: "bigint" }).autoincrement().primaryKey(),
    createTime: instant("create_time").notNull(),
    actor: binaryText("actor", 64).notNull(),
    actorKind: varchar("actor_kind", { length: 16 }).notNull(),
    role: varchar("role", { length: 16 }),
    action: varchar("action", { length: 48 }).notNull(),
    objectKind: varchar("object_kind", { length: 32 }).notNull(),
    objectId: binaryText("object_id", 191),
    eventType: binaryText("event_type", 64),
    result: varchar("result", { length: 16 }).notNull(),
    reason: varchar("reason", { length: 512 }),
    ip: varchar("ip", { length: 64 }),
    requestId: varchar("request_id", { length: 64 }),
    correlation: binaryText("correlation", 64),
    detail: mediumtext("detail"),
  },
  (table) => [
    index("idx_time").on(table.createTime, table.id),
    index("idx_object").on(table.objectKind, table.objectId, table.id),
    index("idx_actor").on(table.actor, table.id),
    index("idx_correlation").on(table.correlation, table.id),
  ],
);
