import "server-only";
import { countTaskList, LIST_COUNT_MAX, type TaskListCount } from "../../db/queries/count-task-list.ts";
import { knownEventTypes } from "../../db/queries/known-event-types.ts";
import { TASK_STATES, type TaskState } from "../../db/queries/task-filter.ts";
import { withStatementLimit } from "../../db/statement-limit.ts";
import type { Asker } from "./asker.ts";
import { consoleDatabase } from "./database.ts";
import { filterWithin } from "./list-tasks.ts";
import { toConsoleError } from "./problem.ts";
import { filterHash, type TaskFilter } from "./task-filter.ts";

export interface TaskCounts {
  readonly asOf: string;
  /** Counting of one state stops here. */
  readonly countMax: number;
  /** null: this one took too long. */
  readonly counts: Readonly<Record<TaskState, TaskListCount | null>>;
}

const COUNT_STATEMENT_MS = 1_000;
/** After this time the states that are left are not counted. */
const COUNTS_MS = 3_000;
const KEPT_MS = 5_000;

const kept = new Map<string, { readonly answer: Promise<TaskCounts>; readonly endsAt: number }>();

/**
 * How many tasks of a filter are in each state. Kept for 5 s and asked for once, however many people look at the same
 * filter: a count costs the database more than the rows beside it.
 */
export async function countTaskStates(asker: Asker, asked: TaskFilter): Promise<TaskCounts> {
  const filter = filterWithin(asker, asked);
  const name = filterHash(filter);
  const now = performance.now();
  for (const [key, { endsAt }] of kept) if (endsAt <= now) kept.delete(key);
  const known = kept.get(name);
  if (known) return known.answer;
  const answer = countStates(filter);
  kept.set(name, { answer, endsAt: now + KEPT_MS });
  answer.catch(() => kept.delete(name));
  return answer;
}

async function countStates(filter: TaskFilter): Promise<TaskCounts> {
  const lateAt = performance.now() + COUNTS_MS;
  const eventTypes =
    filter.eventTypes ??
    (await consoleDatabase().use((session) => withStatementLimit(session, COUNT_STATEMENT_MS, knownEventTypes)));
  const counts = {} as Record<TaskState, TaskListCount | null>;
  for (const state of TASK_STATES) {
    counts[state] = performance.now() > lateAt ? null : await countOne({ ...filter, state }, eventTypes);
  }
  return { asOf: new Date().toISOString(), countMax: LIST_COUNT_MAX, counts };
}

/** A connection of its own for each: a statement that was ended for its time may cost the connection too. */
async function countOne(filter: TaskFilter, eventTypes: readonly string[]): Promise<TaskListCount | null> {
  try {
    return await consoleDatabase().use((session) =>
      withStatementLimit(session, COUNT_STATEMENT_MS, () => countTaskList(session, { filter, eventTypes })),
    );
  } catch (error) {
    if (toConsoleError(error).code === "database_timeout") return null;
    throw error;
  }
}
