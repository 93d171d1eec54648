import "server-only";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { searchTasks, type TaskListCursor } from "../../db/queries/search-tasks.ts";
import { orderOf, type TaskOrder } from "../../db/queries/task-order.ts";
import { withStatementLimit } from "../../db/statement-limit.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { type CsvCell, csvResponse } from "./csv.ts";
import { consoleDatabase } from "./database.ts";
import { filterWithin, LIST_STATEMENT_MS } from "./list-tasks.ts";
import { withMaskedHead } from "./mask-head.ts";
import type { TaskFilter } from "./task-filter.ts";

const ROWS_PER_READ = 500;

const COLUMNS = [
  ...(["id", "eventType", "bizKey", "status", "isStuck", "retryCount", "maxRetryCount", "recycleCount"] as const),
  ...(["nextRetryAt", "startedAt", "finishedAt", "createdAt", "updatedAt", "owner", "finishReason"] as const),
  ...(["cause", "errorHead", "retryStrategy", "firstIntervalSeconds", "traceParent", "origin"] as const),
];

/** The rows of a filter as a file, read page by page, without payloads; who took it is in the audit log first. */
export async function exportTasks(
  asker: Asker,
  params: { readonly filter: TaskFilter; readonly sort: TaskOrder | undefined },
): Promise<Response> {
  const filter = filterWithin(asker, params.filter);
  const order = orderOf(filter, params.sort);
  await consoleDatabase().retryingTransaction((session) =>
    insertAudit(session, {
      ...auditedBy(asker),
      action: "tasks.export",
      objectKind: "task",
      result: "ok",
      detail: { filter, order },
    }),
  );
  return csvResponse({ name: "tasks.csv", header: COLUMNS, rows: rowsOf(filter, order) });
}

async function* rowsOf(filter: TaskFilter, order: TaskOrder): AsyncGenerator<readonly CsvCell[]> {
  let cursor: TaskListCursor | undefined;
  do {
    const after = cursor;
    const page = await consoleDatabase().use((session) =>
      withStatementLimit(session, LIST_STATEMENT_MS, () =>
        searchTasks(session, { filter, order, limit: ROWS_PER_READ, cursor: after }),
      ),
    );
    for (const item of page.items.map(withMaskedHead)) yield COLUMNS.map((column) => item[column]);
    cursor = page.nextCursor;
  } while (cursor);
}
