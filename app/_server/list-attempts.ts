import "server-only";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import { readTaskTypes } from "../../db/queries/find-task-id.ts";
import { type AttemptEntry, listAttempts as readAttempts, listRoundMarks } from "../../db/queries/show-task.ts";
import { absentTask } from "./absent-task.ts";
import type { Asker } from "./asker.ts";
import { consoleDatabase } from "./database.ts";
import { redactText } from "./redact.ts";
import { roundOf, type RoundMark } from "./rounds.ts";
import type { Wire } from "./wire.ts";

export type AttemptItem = Wire<AttemptEntry> & {
  /** Which series of attempts it belongs to: a reset begins a new one, an undo ends it. From 1. */
  readonly round: number;
};

export interface AttemptPage {
  readonly asOf: string;
  readonly items: readonly AttemptItem[];
  /** The last entry of the page, if there are older ones. */
  readonly nextCursor: string | undefined;
}

/** One page of a live task's history, newest first, errors masked. @throws ConsoleError */
export async function listAttempts(
  asker: Asker,
  id: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<AttemptPage> {
  return consoleDatabase().use(async (session) => {
    const eventType = (await readTaskTypes(session, [id])).get(id);
    if (eventType === undefined) throw await absentTask(session, asker, id);
    asker.mustSee(eventType);
    const entries = await readAttempts(session, id, limit + 1, cursor);
    const marks = await listRoundMarks(session, id);
    const items = entries.slice(0, limit);
    return {
      asOf: (await readDatabaseNow(session)).toISOString(),
      items: items.map((entry) => attemptItem(entry, marks)),
      nextCursor: entries.length > limit ? items.at(-1)?.id : undefined,
    };
  });
}

function attemptItem(entry: AttemptEntry, marks: readonly RoundMark[]): AttemptItem {
  const { at, nextRetryAt, error, detail, ...rest } = entry;
  return {
    ...rest,
    at: at.toISOString(),
    nextRetryAt: nextRetryAt?.toISOString(),
    error: error === undefined ? undefined : redactText(error),
    detail: detail === undefined ? undefined : redactText(detail),
    round: roundOf(entry.id, marks),
  };
}
