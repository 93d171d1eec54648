import { listArchivedAttempts, showArchivedTask } from "../../db/queries/show-archived-task.ts";
import { type AttemptEntry, listAttempts, showTask, type TaskDetail } from "../../db/queries/show-task.ts";
import type { Session } from "../../db/session.ts";
import type { SessionZone } from "../../db/session-zone.ts";
import { CliError } from "./cli-error.ts";
import { durationText } from "./duration-text.ts";
import { taskId } from "./parse-verb-input.ts";
import { textPairs, textTable } from "./text-table.ts";
import { headOf, instantText, printable } from "./text-values.ts";
import type { Verb } from "./verb.ts";

/** Entries of the history that are shown, newest first. */
const HISTORY_MAX = 50;

/** `redrive show`: one task with its payload and its history. */
export const showVerb: Verb = {
  name: "show",
  summary: "show one task, live or archived, with its payload, error and history",
  operands: "ID",
  operandsMin: 1,
  operandsMax: 1,
  options: {},
  notes: `The payload is shown as it is stored. History: the newest ${HISTORY_MAX} entries.`,
  async run({ operands: [given = ""] }, { database, zone }) {
    const id = taskId(given);
    const { task, history } = await database.use((session) => find(session, id));
    const entries =
      history.length > 0
        ? textTable(
            HISTORY_COLUMNS,
            history.map((entry) => historyRow(zone, entry)),
          )
        : "none";
    return {
      json: { task, history },
      text: `${textPairs(pairsOf(zone, task))}\n\nhistory, newest first\n${entries}`,
    };
  },
};

/** Live, else archived. */
async function find(
  session: Session,
  id: string,
): Promise<{ task: TaskDetail & { readonly archivedAt?: Date }; history: AttemptEntry[] }> {
  const live = await showTask(session, id);
  if (live) return { task: live, history: await listAttempts(session, id, HISTORY_MAX) };
  const archived = await showArchivedTask(session, id);
  if (archived) return { task: archived, history: await listArchivedAttempts(session, archived, HISTORY_MAX) };
  throw new CliError("TASK_NOT_FOUND", `task ${id} is neither in the live table nor in the archive`);
}

function pairsOf(zone: SessionZone, task: TaskDetail & { readonly archivedAt?: Date }): [string, string][] {
  const plain = (text: string | undefined) => (text === undefined ? "-" : printable(text));
  const due = task.dueInMs > 0 ? ` (in ${durationText(task.dueInMs)})` : "";
  return [
    ["id", task.id],
    ["type", printable(task.eventType)],
    ["biz key", printable(task.bizKey)],
    [
      "status",
      `${task.status ?? `unknown (${task.statusCode})`}${task.finishReason ? ` (${printable(task.finishReason)})` : ""}`,
    ],
    ["failures", `${task.retryCount} of ${task.maxRetryCount}`],
    ["recycles", String(task.recycleCount)],
    ["strategy", `${printable(task.retryStrategy)}, first ${durationText(task.firstRetryIntervalSeconds * 1_000)}`],
    ["due", `${instantText(zone, task.nextRetryAt)}${task.status === "pending" ? due : ""}`],
    ["owner", plain(task.owner)],
    ["ip", plain(task.ip)],
    ["claim number", String(task.claimNo)],
    ["created", instantText(zone, task.createdAt)],
    ["updated", instantText(zone, task.updatedAt)],
    ["started", instantText(zone, task.startedAt)],
    ["finished", instantText(zone, task.finishedAt)],
    ...(task.archivedAt === undefined ? [] : [["archived", instantText(zone, task.archivedAt)] as [string, string]]),
    ["origin", plain(task.origin)],
    ["trace parent", plain(task.traceParent)],
    ["parent", task.parentId ?? "-"],
    ["payload", printable(task.bizContext, true)],
    ["last error", task.lastError === undefined ? "-" : printable(task.lastError, true)],
  ];
}

const HISTORY_COLUMNS = [
  { title: "AT" },
  { title: "KIND" },
  { title: "CLAIM", isNumber: true },
  { title: "FAILURES", isNumber: true },
  { title: "TOOK", isNumber: true },
  { title: "BY" },
  { title: "WHAT" },
];

function historyRow(zone: SessionZone, entry: AttemptEntry): string[] {
  return [
    instantText(zone, entry.at),
    printable(entry.kind),
    String(entry.claimNo),
    String(entry.retryCount),
    entry.durationMs === undefined ? "-" : durationText(entry.durationMs),
    printable(entry.actor ?? entry.owner ?? "-"),
    headOf(printable(entry.detail ?? entry.error ?? "-"), 100),
  ];
}
