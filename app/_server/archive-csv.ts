import "server-only";
import { type ArchiveCursor, browseArchive as readPage } from "../../db/queries/browse-archive.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import type { ArchiveQuery } from "./archive-input.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { archivedItem, filterOf } from "./browse-archive.ts";
import { type CsvCell, csvResponse } from "./csv.ts";
import { consoleDatabase } from "./database.ts";

const PAGE_ROWS = 500;

const HEADER = [
  ...[
    "id",
    "archivedAt",
    "eventType",
    "bizKey",
    "state",
    "finishReason",
    "retryCount",
    "maxRetryCount",
    "recycleCount",
  ],
  ...["createdAt", "finishedAt", "cause", "error", "parentId"],
];

/** The rows that a query finds as a file, without payloads; the audit keeps what was asked for. @throws ConsoleError */
export async function archiveCsv(asker: Asker, query: ArchiveQuery): Promise<Response> {
  const filter = await consoleDatabase().transaction(async (session) => {
    const found = await filterOf(session, asker, query);
    await insertAudit(session, {
      ...auditedBy(asker),
      action: "archive.export",
      objectKind: "archive",
      result: "ok",
      detail: { filter: found.filter },
    });
    return found.filter;
  });
  return csvResponse({ name: "archive.csv", header: HEADER, rows: rowsOf(filter) });
}

async function* rowsOf(filter: Parameters<typeof readPage>[1]["filter"]): AsyncGenerator<readonly CsvCell[], void> {
  let cursor: ArchiveCursor | undefined;
  do {
    const page = await consoleDatabase().use((session) => readPage(session, { filter, limit: PAGE_ROWS, cursor }));
    for (const item of page.items.map(archivedItem)) {
      yield [
        ...[item.id, item.archivedAt, item.eventType, item.bizKey, item.status ?? item.statusCode, item.finishReason],
        ...[item.retryCount, item.maxRetryCount, item.recycleCount, item.createdAt, item.finishedAt],
        ...[item.errorFingerprint, item.errorHead, item.parentId],
      ];
    }
    cursor = page.older;
  } while (cursor);
}
