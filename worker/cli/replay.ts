import { insertAudit } from "../../db/queries/insert-audit.ts";
import { replayTask } from "../../db/queries/replay-task.ts";
import { showArchivedTask } from "../../db/queries/show-archived-task.ts";
import { CliError, usageError } from "./cli-error.ts";
import { boundedOption, taskId } from "./parse-verb-input.ts";
import { instantText, quoted } from "./text-values.ts";
import { DEED_OPTIONS } from "./act-on-tasks.ts";
import { textOption, type Verb, type VerbInput } from "./verb.ts";

/** `redrive replay`: a new task made from an archived one. */
export const replayVerb: Verb = {
  name: "replay",
  summary: "make a new task from an archived one: same type, key and payload, due now",
  operands: "ID",
  operandsMin: 1,
  operandsMax: 1,
  options: {
    "archived-at": {
      type: "string",
      placeholder: "INSTANT",
      help: "which one, if the server handed the id out again, such as 2026-11-29T08:00:00.000Z; default the newest",
    },
    "confirm-succeeded": {
      type: "boolean",
      help: "replay it although it succeeded: its effect may happen a second time",
    },
    ...DEED_OPTIONS,
  },
  notes:
    "The archived task stays as it is; both name each other. Refused while a live task has the same type and key: it is the one to look at.",
  async run(input, { database, zone, systemUser }) {
    const id = taskId(input.operands[0] ?? "");
    const archivedAt = instantOption(input, "archived-at");
    const actor = boundedOption(input, "actor", 64) ?? systemUser;
    const reason = boundedOption(input, "reason", 500);
    const { archived, verdict } = await database.retryingTransaction(async (session) => {
      const old = await showArchivedTask(session, id, archivedAt);
      if (!old) throw new CliError("TASK_NOT_ARCHIVED", `task ${id} is not in the archive`);
      if (old.status === "succeeded" && input.options["confirm-succeeded"] !== true) {
        throw new CliError(
          "TASK_SUCCEEDED",
          `task ${id} succeeded: its effect may happen a second time; add --confirm-succeeded if that is meant`,
        );
      }
      const written = await replayTask(session, { id, archivedAt: old.archivedAt, actor, reason });
      await insertAudit(session, {
        actor,
        actorKind: "command",
        action: "task.replay",
        objectKind: "archived_task",
        objectId: id,
        eventType: old.eventType,
        result: written.outcome === "done" ? "ok" : "failed",
        reason,
        detail: { archivedAt: old.archivedAt, ...written },
      });
      return { archived: old, verdict: written };
    });
    switch (verdict.outcome) {
      case "done":
        return {
          json: { id: verdict.id, replayOf: id, archivedAt: archived.archivedAt, actor },
          text: `task ${verdict.id} was made from task ${id}, archived at ${instantText(zone, archived.archivedAt)}; a poller runs it`,
        };
      case "live_twin": {
        const status = verdict.status === undefined ? "" : ` and is ${verdict.status}`;
        throw new CliError(
          "LIVE_TWIN",
          `not replayed: task ${verdict.id} is live${status}, with the same type and key`,
        );
      }
      case "not_found":
        throw new CliError("TASK_NOT_ARCHIVED", `task ${id} is not in the archive any more`);
    }
  },
};

/** An instant in full, with its zone. @throws CliError USAGE for anything else. */
function instantOption(input: VerbInput, name: string): Date | undefined {
  const text = textOption(input, name);
  if (text === undefined) return undefined;
  const isInstant = /^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?(Z|[+-]\d{2}:\d{2})$/.test(text);
  if (isInstant && !Number.isNaN(Date.parse(text))) return new Date(text);
  throw usageError(`--${name} is ${quoted(text)}; write an instant such as 2026-11-29T08:00:00.000Z`);
}
