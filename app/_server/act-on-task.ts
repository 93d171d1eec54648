import "server-only";
import { readTaskTypes } from "../../db/queries/find-task-id.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { statusFromCode } from "../../db/schema/task-status.ts";
import type { Session } from "../../db/session.ts";
import type { AuditAction } from "../../db/schema/audit-actions.ts";
import { absentTask } from "./absent-task.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { ConsoleError, type ProblemCode } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { redactText } from "./redact.ts";

/** What an action found: done, the task is not live, or the status that forbade it. */
type Verdict =
  | { readonly outcome: "done" }
  | { readonly outcome: "not_found" }
  | { readonly outcome: string; readonly status?: number };

export interface TaskAction<Found extends Verdict> {
  readonly id: string;
  /** As the audit names it: `task.cancel`. */
  readonly action: AuditAction;
  readonly reason?: string | undefined;
  /** The problem for each outcome that changed nothing. */
  readonly problems: Readonly<Record<Exclude<Found["outcome"], "done" | "not_found">, ProblemCode>>;
  readonly act: (session: Session, eventType: string) => Promise<Found>;
  /** What the audit keeps of a change, masked. */
  readonly detail?: (
    found: Extract<Found, { readonly outcome: "done" }>,
  ) => Readonly<Record<string, unknown>> | undefined;
  readonly correlation?: string | undefined;
}

/**
 * One action of a person on one task: the scope is checked, the change and its audit entry are one transaction, and a
 * change that was refused is entered too.
 * @throws ConsoleError out_of_scope, task_not_found, task_archived, or the problem of the outcome with the status that
 * was seen; nothing is changed then.
 */
export async function actOnTask<Found extends Verdict>(
  asker: Asker,
  params: TaskAction<Found>,
): Promise<Extract<Found, { readonly outcome: "done" }>> {
  const { id, action, reason } = params;
  const { found, absence } = await consoleDatabase().retryingTransaction(async (session) => {
    const eventType = (await readTaskTypes(session, [id])).get(id);
    if (eventType !== undefined) asker.mustSee(eventType);
    const found = eventType === undefined ? NOT_FOUND : await params.act(session, eventType);
    const absence = found.outcome === "not_found" ? await absentTask(session, asker, id) : undefined;
    await insertAudit(session, {
      ...auditedBy(asker),
      action,
      objectKind: "task",
      objectId: id,
      eventType,
      result: found.outcome === "done" ? "ok" : "failed",
      reason: reason === undefined ? undefined : redactText(reason),
      correlation: params.correlation,
      detail: isDone<Found>(found) ? params.detail?.(found) : { outcome: found.outcome },
    });
    return { found, absence };
  });
  if (absence) throw absence;
  if (isDone<Found>(found)) return found;
  const code: ProblemCode | undefined = (params.problems as Readonly<Record<string, ProblemCode>>)[found.outcome];
  const status = "status" in found ? found.status : undefined;
  throw new ConsoleError(code ?? "unexpected", `task ${id}: ${found.outcome.replaceAll("_", " ")}`, {
    details: { taskStatus: status === undefined ? undefined : statusFromCode(status) },
  });
}

const NOT_FOUND = { outcome: "not_found" } as const;

function isDone<Found extends Verdict>(found: Verdict): found is Extract<Found, { readonly outcome: "done" }> {
  return found.outcome === "done";
}
