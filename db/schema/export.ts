import { bigint, char, mysqlTable, primaryKey } from "drizzle-orm/mysql-core";
import { bigId, binaryText, instant } from "./columns.ts";

/**
 * One row per exported day of one archive table in one target. The target's manifest is the truth about the files; this
 * row says that it was written and verified, and from when on the day may have lost rows to a purge, after which it is
 * never exported again.
 */
export const exported = mysqlTable(
  "t_retry_export",
  {
    target: binaryText("target", 255).notNull(),
    /** The UTC day, as 2026-11-29. */
    day: char("day", { length: 10 }).notNull(),
    /** `tasks` or `attempts`. */
    source: binaryText("source", 16).notNull(),
    rowCount: bigint("row_count", { mode: "number" }).notNull(),
    idMin: bigId("id_min"),
    idMax: bigId("id_max"),
    manifestSha256: char("manifest_sha256", { length: 64 }).notNull(),
    exportedTime: instant("exported_time").notNull(),
    verifiedTime: instant("verified_time"),
    purgeBeganTime: instant("purge_began_time"),
    purgedTime: instant("purged_time"),
  },
  (table) => [primaryKey({ columns: [table.target, table.day, table.source] })],
);
