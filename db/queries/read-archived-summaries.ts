import { sql } from "drizzle-orm";
import type { Session } from "../session.ts";
import { archivedSummary, type ArchivedSummary, summaryColumns, type SummaryRow } from "./archived-summary.ts";
import type { ArchivedRef } from "./bulk-scope.ts";
import { joinedArchive, refKey } from "./replay-sources.ts";

/** These archived tasks as a list shows them, by primary key, in the order asked for; those that are gone are left out. */
export async function readArchivedSummaries(
  session: Session,
  refs: readonly ArchivedRef[],
): Promise<ArchivedSummary[]> {
  if (refs.length === 0) return [];
  const rows = await session.rows<SummaryRow>(
    sql`SELECT ${summaryColumns} FROM (SELECT a.* FROM ${joinedArchive(session, refs)}) AS found`,
  );
  const byKey = new Map(
    rows
      .map((row) => archivedSummary(session, row))
      .map((summary) => [refKey({ id: summary.id, archivedAt: summary.archivedAt.toISOString() }), summary]),
  );
  return refs.map((ref) => byKey.get(refKey(ref))).filter((summary) => summary !== undefined);
}
