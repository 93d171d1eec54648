import { int, mediumtext, mysqlTable, varchar } from "drizzle-orm/mysql-core";
import { binaryText, instant } from "./columns.ts";

export const WORKER_STATES = ["running", "draining", "stopped"] as const;
export type WorkerState = (typeof WORKER_STATES)[number];

/**
 * The registry of worker processes. `owner` names one run of one engine and is never used twice. A row whose
 * `beat_time` is older than `dead_after_ms` is a dead owner: its running tasks are recycled.
 */
export const worker = mysqlTable("t_retry_worker", {
  owner: binaryText("owner", 64).primaryKey(),
  host: varchar("host", { length: 255 }).notNull(),
  ip: varchar("ip", { length: 40 }),
  pid: int("pid").notNull(),
  version: varchar("version", { length: 32 }).notNull(),
  state: varchar("state", { length: 16 }).notNull(),
  deadAfterMs: int("dead_after_ms").notNull(),
  eventTypes: mediumtext("event_types").notNull(),
  pools: mediumtext("pools").notNull(),
  startedTime: instant("started_time").notNull(),
  beatTime: instant("beat_time").notNull(),
  stoppedTime: instant("stopped_time"),
});
