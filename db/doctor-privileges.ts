import { sql } from "drizzle-orm";
import { ARCHIVE_TABLES } from "./archive-partitions.ts";
import type { DoctorCheck } from "./doctor.ts";
import type { Session } from "./session.ts";

/** What the archive's days need: ALTER to make them, DROP to drop those that are purged. */
const NEEDED = ["ALTER", "DROP"] as const;

const GRANT = /^GRANT (.+) ON (\*|`(?:[^`]|``)*`)\.(\*|`(?:[^`]|``)*`) TO /;

/**
 * Whether this user may make and drop the days of the archive. Without that everything goes on, in one default partition
 * that grows, and purging deletes row by row. Roles that are not active in the session are not seen.
 */
export async function checkPartitionPrivileges(session: Session): Promise<DoctorCheck> {
  const [name] = await session.rows<{ db: string }>(sql`SELECT DATABASE() AS db`);
  const rows = await session.rows<Record<string, string>>(sql`SHOW GRANTS`);
  const grants = rows.flatMap((row) => Object.values(row)).map(String);
  const missing = ARCHIVE_TABLES.flatMap((table) => {
    const held = grants.flatMap((grant) => privilegesOn(grant, name?.db ?? "", table));
    if (held.includes("ALL PRIVILEGES")) return [];
    return NEEDED.filter((privilege) => !held.includes(privilege)).map((privilege) => `${privilege} on ${table}`);
  });
  if (missing.length === 0) {
    return { id: "archive_privileges", level: "ok", finding: "may make and drop the archive's days", advice: "" };
  }
  return {
    id: "archive_privileges",
    level: "warn",
    finding: `lacks ${missing.join(", ")}`,
    advice: `GRANT ALTER, DROP ON each of ${ARCHIVE_TABLES.join(", ")} to the workers' user: without ALTER all days share one partition, without DROP a purged day cannot go as a whole`,
  };
}

/** The privileges that one line of SHOW GRANTS gives on a table. */
export function privilegesOn(grant: string, database: string, table: string): string[] {
  const [, privileges = "", onDatabase = "", onTable = ""] = GRANT.exec(grant) ?? [];
  const isTable = onTable === "*" || unquoted(onTable) === table;
  // Only the name of a whole database is a pattern.
  const isDatabase =
    onDatabase === "*" ||
    (onTable === "*" ? isLike(database, unquoted(onDatabase)) : unquoted(onDatabase) === database);
  return isTable && isDatabase ? privileges.replaceAll(/ ?\([^)]*\)/g, "").split(", ") : [];
}

function unquoted(name: string): string {
  return name.slice(1, -1).replaceAll("``", "`");
}

/** `_` and `%` match as in LIKE, unless a backslash is before them. */
function isLike(name: string, pattern: string): boolean {
  const source = [...pattern.matchAll(/\\([_%\\])|([\s\S])/gu)]
    .map(([, literal, character = ""]) => {
      if (literal === undefined && character === "_") return ".";
      if (literal === undefined && character === "%") return ".*";
      return (literal ?? character).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    })
    .join("");
  return new RegExp(`^${source}$`, "su").test(name);
}
