import { sql } from "drizzle-orm";
import { worker } from "../schema/worker.ts";
import { parseServerVersion, type ServerKind } from "../server-version.ts";
import type { Session } from "../session.ts";

/** Which kind of server answers. */
export async function readServerKind(session: Session): Promise<ServerKind> {
  const [row] = await session.rows<{ version: string }>(sql`SELECT VERSION() AS version`);
  return parseServerVersion(row?.version ?? "").kind;
}

/** The newest heartbeat of any worker that this server knows of; undefined if there is none. A table of dozens of rows. */
export async function readNewestBeat(session: Session): Promise<Date | undefined> {
  const [row] = await session.rows<{ beat: string | null }>(sql`SELECT MAX(beat_time) AS beat FROM ${worker}`);
  return row?.beat ? session.zone.parseInstant(row.beat) : undefined;
}
