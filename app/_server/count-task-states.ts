import "server-only";
import {
  addUpSteps,
  type CountedFilter,
  countStep,
  type CountStep,
  countSteps,
  STATE_COUNT_MAX,
  type StateCount,
} from "../../db/queries/count-task-states.ts";
import { knownEventTypes } from "../../db/queries/known-event-types.ts";
import type { TaskState } from "../../db/queries/task-filter.ts";
import { withStatementLimit } from "../../db/statement-limit.ts";
import type { Asker } from "./asker.ts";
import { consoleDatabase } from "./database.ts";
import { filterWithin } from "./list-tasks.ts";
import { toConsoleError } from "./problem.ts";
import { sharedReads } from "./shared-reads.ts";
import { filterHash, type TaskFilter } from "./task-filter.ts";

export interface TaskCounts {
  readonly asOf: string;
  /** Counting of one state stops here. */
  readonly countMax: number;
  /** null: this one took too long. */
  readonly counts: Readonly<Record<TaskState, StateCount | null>>;
}

const COUNT_STATEMENT_MS = 1_000;
/** After this time the states that are left are not counted. */
const COUNTS_MS = 3_000;
/** A count is asked for again no sooner than so many times what it took, so that it costs the database a small share of its time. */
const KEPT_FOR_TIMES_COST = 20;
const KEPT_MS_MAX = 20_000;

/**
 * How many tasks of a filter are in each state. Asked for once, however many people look at the same filter, and kept for
 * 5 s or, if it took long, for as much longer: a count costs the database more than the rows beside it.
 */
export async function countTaskStates(asker: Asker, asked: TaskFilter): Promise<TaskCounts> {
  const { state: _, ...filter } = filterWithin(asker, asked);
  return sharedReads().read(`task counts ${filterHash({ ...filter, state: "all" })}`, () => countStates(filter), {
    timesCost: KEPT_FOR_TIMES_COST,
    maxMs: KEPT_MS_MAX,
  });
}

async function countStates(filter: CountedFilter): Promise<TaskCounts> {
  const lateAt = performance.now() + COUNTS_MS;
  const eventTypes =
    filter.eventTypes ??
    (await consoleDatabase().use((session) => withStatementLimit(session, COUNT_STATEMENT_MS, knownEventTypes)));
  const steps: Parameters<typeof addUpSteps>[0][number][] = [];
  for (const step of countSteps(filter)) {
    steps.push({ step, counts: performance.now() > lateAt ? null : await countOne(step, filter, eventTypes) });
  }
  return { asOf: new Date().toISOString(), countMax: STATE_COUNT_MAX, counts: addUpSteps(steps) };
}

/** A connection of its own for each: a statement that was ended for its time may cost the connection too. */
async function countOne(
  step: CountStep,
  filter: CountedFilter,
  eventTypes: readonly string[],
): Promise<ReadonlyMap<TaskState, StateCount> | null> {
  try {
    return await consoleDatabase().use((session) =>
      withStatementLimit(session, COUNT_STATEMENT_MS, () => countStep(session, step, { filter, eventTypes })),
    );
  } catch (error) {
    if (toConsoleError(error).code === "database_timeout") return null;
    throw error;
  }
}
