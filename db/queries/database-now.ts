import { sql } from "drizzle-orm";
import type { Session } from "../session.ts";

/** The database's present instant. */
export async function readDatabaseNow(session: Session): Promise<Date> {
  const rows = await session.rows<{ now: string | Date }>(sql`SELECT ${session.now} AS now`);
  const row = rows[0];
  if (!row) throw new Error("the database did not tell its time");
  return session.zone.parseInstant(row.now);
}
