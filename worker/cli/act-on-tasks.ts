import { listArchiveById } from "../../db/queries/list-archive.ts";
import { statusFromCode } from "../../db/schema/task-status.ts";
import type { Session } from "../../db/session.ts";
import { EXIT_DONE, EXIT_FAILED } from "./cli-error.ts";
import { boundedOption, taskId } from "./parse-verb-input.ts";
import { instantText } from "./text-values.ts";
import type { CliContext, VerbInput, VerbOption, VerbResult } from "./verb.ts";

/** Who acts and why; both are kept in the history of each task. */
export interface Deed {
  readonly id: string;
  readonly actor: string;
  readonly reason: string | undefined;
}

/** What an action found: done, or the status that forbade it. */
export type Verdict =
  | { readonly outcome: "done" }
  | { readonly outcome: "not_found" }
  | { readonly outcome: string; readonly status: number };

export const DEED_OPTIONS: Readonly<Record<string, VerbOption>> = {
  reason: { type: "string", placeholder: "REASON", help: "why; kept in the task's history" },
  actor: { type: "string", placeholder: "NAME", help: "who; default: the user of the operating system" },
};

/**
 * Does one thing to each of the tasks, each in a transaction of its own, and says per id what came of it. The exit code
 * is 1 if any was not done.
 */
export async function actOnTasks(
  input: VerbInput,
  { database, zone, systemUser }: CliContext,
  words: { readonly done: string; readonly only: string },
  act: (session: Session, deed: Deed) => Promise<Verdict>,
): Promise<VerbResult> {
  const actor = boundedOption(input, "actor", 64) ?? systemUser;
  const reason = boundedOption(input, "reason", 512);
  const ids = [...new Set(input.operands.map(taskId))];
  const results: { id: string; outcome: string; status?: string; archivedAt?: Date }[] = [];
  for (const id of ids) {
    const verdict = await database.retryingTransaction((session) => act(session, { id, actor, reason }));
    const [archived] =
      verdict.outcome === "not_found" ? await database.use((session) => listArchiveById(session, id)) : [];
    if (archived) {
      const { archivedAt, status } = archived;
      results.push({ id, outcome: "archived", ...(status === undefined ? {} : { status }), archivedAt });
      continue;
    }
    const status = "status" in verdict ? (statusFromCode(verdict.status) ?? `unknown (${verdict.status})`) : undefined;
    results.push({ id, outcome: verdict.outcome, ...(status === undefined ? {} : { status }) });
  }
  const lines = results.map(({ id, outcome, status, archivedAt }) => {
    if (archivedAt) {
      return `task ${id}: not ${words.done}, it ${status === undefined ? "" : `is ${status} and `}was moved to the archive at ${instantText(zone, archivedAt)}`;
    }
    if (outcome === "done") return `task ${id}: ${words.done}`;
    return status === undefined
      ? `task ${id}: not found in the live table`
      : `task ${id}: not ${words.done}, it is ${status} (only ${words.only})`;
  });
  const isAllDone = results.every((result) => result.outcome === "done");
  return { json: { actor, results }, text: lines.join("\n"), exitCode: isAllDone ? EXIT_DONE : EXIT_FAILED };
}
