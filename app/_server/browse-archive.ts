import "server-only";
import { type ArchivedSummary } from "../../db/queries/archived-summary.ts";
import {
  type ArchiveCursor,
  type ArchiveFilter,
  browseArchive as readPage,
  countArchive as readCount,
} from "../../db/queries/browse-archive.ts";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import type { Session } from "../../db/session.ts";
import { encodeArchiveCursor } from "./archive-cursor.ts";
import { type ArchiveQuery, rangeOf } from "./archive-input.ts";
import type { Asker } from "./asker.ts";
import { consoleDatabase } from "./database.ts";
import { maskText } from "./mask-payload.ts";

/** An archived task as the list shows it: ids as text, instants as ISO text, no payload. */
export type ArchivedItem = Omit<ArchivedSummary, "archivedAt" | "createdAt" | "finishedAt"> & {
  readonly archivedAt: string;
  readonly createdAt: string;
  readonly finishedAt: string | undefined;
};

export interface ArchiveListAnswer {
  /** The database's clock when the page was read. */
  readonly asOf: string;
  /** The time that was looked at; left out: all times. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Newest first. */
  readonly items: readonly ArchivedItem[];
  /** Older rows; a short page may have it too, where few of the rows that were looked at matched. */
  readonly nextCursor: string | undefined;
  readonly prevCursor: string | undefined;
}

/** One page of archived tasks of the types that the asker may see. @throws ConsoleError out_of_scope */
export async function browseArchive(
  asker: Asker,
  query: ArchiveQuery & { readonly limit: number; readonly cursor?: ArchiveCursor | undefined },
): Promise<ArchiveListAnswer> {
  const { limit, cursor } = query;
  return consoleDatabase().use(async (session) => {
    const { now, filter } = await filterOf(session, asker, query);
    const page = await readPage(session, { filter, limit, cursor });
    return {
      asOf: now.toISOString(),
      from: filter.from?.toISOString(),
      to: filter.to?.toISOString(),
      items: page.items.map(archivedItem),
      nextCursor: encodeArchiveCursor(page.older),
      prevCursor: encodeArchiveCursor(page.newer),
    };
  });
}

/** How many archived tasks a query finds; counting ends early and says so. @throws ConsoleError out_of_scope */
export async function countArchive(
  asker: Asker,
  query: ArchiveQuery,
): Promise<{ readonly count: number; readonly isCapped: boolean }> {
  return consoleDatabase().use(async (session) => readCount(session, (await filterOf(session, asker, query)).filter));
}

/** What a query looks for, within the types that the asker may see. @throws ConsoleError out_of_scope */
export async function filterOf(
  session: Session,
  asker: Asker,
  query: ArchiveQuery,
): Promise<{ readonly now: Date; readonly filter: ArchiveFilter }> {
  const now = await readDatabaseNow(session);
  const filter = {
    ...rangeOf(query, now),
    eventTypes: asker.typesWithin(query.eventType),
    status: query.state,
    bizKey: query.bizKey,
    errorFingerprint: query.cause,
    id: query.id,
  };
  return { now, filter };
}

export function archivedItem(item: ArchivedSummary): ArchivedItem {
  return {
    ...item,
    archivedAt: item.archivedAt.toISOString(),
    createdAt: item.createdAt.toISOString(),
    finishedAt: item.finishedAt?.toISOString(),
    errorHead: item.errorHead === undefined ? undefined : maskText(item.errorHead),
  };
}
