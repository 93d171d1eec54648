import { int, mediumtext, mysqlTable, tinyint, varchar } from "drizzle-orm/mysql-core";
import { binaryText, instant } from "./columns.ts";

/**
 * One row per event type: `code_settings` is what the code declares, `override_settings` what people changed in the
 * console; both are JSON objects of `EventTypeSettings` keys. `revision` rises with every change that workers must see.
 */
export const eventType = mysqlTable("t_retry_event_type", {
  eventType: binaryText("event_type", 64).primaryKey(),
  codeSettings: mediumtext("code_settings"),
  overrideSettings: mediumtext("override_settings"),
  paused: tinyint("paused").notNull().default(0),
  pausedReason: varchar("paused_reason", { length: 255 }),
  revision: int("revision").notNull().default(0),
  createTime: instant("create_time").notNull(),
  updateTime: instant("update_time").notNull(),
});
