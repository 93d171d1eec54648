import { listTasksByBizKey, type TaskSummary } from "../../db/queries/list-tasks.ts";
import { TASK_STATUSES, type TaskStatus } from "../../db/schema/task-status.ts";
import type { SessionZone } from "../../db/session-zone.ts";
import { suggestion } from "../closest-name.ts";
import { usageError } from "./cli-error.ts";
import { decodeCursor, encodeCursor, listPage, type ListPosition } from "./list-page.ts";
import { numberOption } from "./parse-verb-input.ts";
import { textTable } from "./text-table.ts";
import { headOf, instantText, printable, quoted } from "./text-values.ts";
import { textOption, type CliContext, type Verb, type VerbInput } from "./verb.ts";

/** `redrive list`: tasks of the live table, page by page. */
export const listVerb: Verb = {
  name: "list",
  summary: "list tasks of the live table, newest due first within each type and status",
  operands: "",
  operandsMin: 0,
  operandsMax: 0,
  options: {
    type: { type: "string", placeholder: "TYPE", help: "only this event type" },
    status: { type: "string", placeholder: "STATUS", help: `only this status: ${TASK_STATUSES.join(", ")}` },
    key: { type: "string", placeholder: "KEY", help: "only this biz key, exactly as it is written" },
    limit: { type: "string", placeholder: "N", help: "rows of a page, 1 to 500; default 50" },
    cursor: { type: "string", placeholder: "CURSOR", help: "go on where a list ended" },
  },
  async run(input, context) {
    const limit = numberOption(input, "limit", { min: 1, max: 500, standard: 50 });
    const { items, next } = await readPage(input, context, limit);
    const cursor = next && encodeCursor(next);
    const table =
      items.length > 0
        ? textTable(
            COLUMNS,
            items.map((item) => rowOf(context.zone, item)),
          )
        : "no tasks";
    return {
      json: { tasks: items, nextCursor: cursor ?? null },
      text: cursor === undefined ? table : `${table}\nmore: repeat with --cursor ${cursor}`,
    };
  },
};

async function readPage(input: VerbInput, { database }: CliContext, limit: number) {
  const eventType = textOption(input, "type");
  const status = statusOption(textOption(input, "status"));
  const key = textOption(input, "key");
  const cursorText = textOption(input, "cursor");
  if (key !== undefined && cursorText !== undefined) throw usageError("--cursor does not go with --key");
  const after = cursorText === undefined ? undefined : decodeCursor(cursorText, database.zone);
  if (after && ((eventType ?? after.eventType) !== after.eventType || (status ?? after.status) !== after.status)) {
    throw usageError("--cursor belongs to another --type or --status; repeat the ones it was printed for");
  }
  return database.use(async (session): Promise<{ items: readonly TaskSummary[]; next: ListPosition | undefined }> => {
    if (key === undefined) return listPage(session, { eventType, status, limit }, after);
    const found = (await listTasksByBizKey(session, key)).filter(
      (item) => (eventType ?? item.eventType) === item.eventType && (status ?? item.status) === item.status,
    );
    return { items: found.slice(0, limit), next: undefined };
  });
}

function statusOption(text: string | undefined): TaskStatus | undefined {
  if (text === undefined) return undefined;
  const status = TASK_STATUSES.find((known) => known === text);
  if (status) return status;
  throw usageError(
    `--status ${quoted(text)} is not one of ${TASK_STATUSES.join(", ")}${suggestion(text, TASK_STATUSES)}`,
  );
}

const COLUMNS = [
  { title: "ID", isNumber: true },
  { title: "TYPE" },
  { title: "BIZ KEY" },
  { title: "STATUS" },
  { title: "FAILURES", isNumber: true },
  { title: "DUE" },
  { title: "OWNER" },
  { title: "LAST ERROR" },
];

function rowOf(zone: SessionZone, item: TaskSummary): string[] {
  return [
    item.id,
    printable(item.eventType),
    printable(item.bizKey),
    item.status ?? "unknown",
    `${item.retryCount}/${item.maxRetryCount}`,
    instantText(zone, item.nextRetryAt),
    printable(item.owner ?? "-"),
    headOf(printable(item.errorHead ?? "-"), 60),
  ];
}
