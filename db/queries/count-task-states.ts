import { sql, type SQL } from "drizzle-orm";
import { bulkItem } from "../schema/bulk.ts";
import { STATUS_CODE } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idLiteral, idRows, type Session } from "../session.ts";
import {
  dueTimeConditions,
  filterCondition,
  likePrefix,
  narrowsByRow,
  statusesOf,
  TASK_STATES,
  type TaskFilter,
  type TaskState,
} from "./task-filter.ts";

export interface StateCount {
  readonly count: number;
  /** There may be more: counting stopped at its limit, or the rows that it may look at were used up. */
  readonly atLeast: boolean;
}

/** Which tasks are counted by state. */
export type CountedFilter = Omit<TaskFilter, "state">;

/** Counting of one state stops here. */
export const STATE_COUNT_MAX = 10_000;

const BRANCHES_PER_STATEMENT = 64;

/** Each task is in exactly one of these, those that people ask for first. Each is a range of `idx_claim` per type. */
const PARTS = ["failed", "running", "due", "scheduled", "cancelled", "succeeded"] as const;
type Part = (typeof PARTS)[number];

/** Rows that one step looks at, at most, where no index decides which belong to the filter. */
export const COUNT_ROWS_MAX = 2_000;
/** The same of the failed ones, which people act on by what narrows them. */
const FAILED_ROWS_MAX = 4_000;

/** The state that some tasks of a part are in too. */
const WITHIN: Readonly<Partial<Record<Part, TaskState>>> = {
  running: "stuck",
  due: "retrying",
  scheduled: "retrying",
};

/** A part of the work of counting all states: one look at the same tasks. */
export interface CountStep {
  /** undefined: all tasks of the filter, which are named or lie together in an index. */
  readonly part: Part | undefined;
  readonly states: readonly TaskState[];
}

/** What is to be counted, one step after another, to know how many tasks of a filter are in each state. */
export function countSteps({ ids, bulkId, bizKey, bizKeyPrefix }: CountedFilter): readonly CountStep[] {
  const parts = PARTS.map((part): CountStep => ({ part, states: statesWithin(part) }));
  if ([ids, bulkId, bizKey, bizKeyPrefix].every((named) => named === undefined)) return parts;
  return [{ part: undefined, states: [...new Set(parts.flatMap(({ states }) => states))] }];
}

function statesWithin(part: Part): readonly TaskState[] {
  const within = WITHIN[part];
  return within === undefined ? [part] : [part, within];
}

interface CountParams {
  readonly filter: CountedFilter;
  /** The types to count in where the filter names none. */
  readonly eventTypes: readonly string[];
  readonly countMax?: number | undefined;
  /** Left out: 4,000 failed ones, else 2,000. */
  readonly rowsMax?: number | undefined;
}

/** Answers at most so many ids of tasks. */
type IdSource = (limit: number) => SQL;

/**
 * How many tasks of a filter are in each state of a step, up to a limit. Where index entries decide, from these alone, a
 * part of the types per statement until the limit is reached; else from rows, of which no more than `rowsMax` are read.
 */
export async function countStep(
  session: Session,
  { part, states }: CountStep,
  asked: CountParams,
): Promise<Map<TaskState, StateCount>> {
  const params = { rowsMax: part === "failed" || part === undefined ? FAILED_ROWS_MAX : COUNT_ROWS_MAX, ...asked };
  const { filter } = params;
  if (part === undefined) return countRows(session, [(limit) => namedIds(filter, limit)], states, params);
  const sources = entriesOf(session, part, filter, filter.eventTypes ?? params.eventTypes);
  if (narrowsByRow(filter)) return countRows(session, sources, states, params);
  const whole = await countEntries(session, sources, params);
  const within = states.filter((state) => state !== part);
  const counts = await countRows(session, whole.count === 0 ? [] : sources, within, params);
  return counts.set(part, whole);
}

/** The counts of all steps together; null for a state of a step that has none. All tasks are the sum of the parts. */
export function addUpSteps(
  steps: readonly { readonly step: CountStep; readonly counts: ReadonlyMap<TaskState, StateCount> | null }[],
  countMax = STATE_COUNT_MAX,
): Record<TaskState, StateCount | null> {
  const countOf = (state: TaskState) => {
    const within = steps.filter(({ step }) => step.states.includes(state));
    return addUp(
      within.map(({ counts }) => counts?.get(state) ?? null),
      countMax,
    );
  };
  const counts = Object.fromEntries(TASK_STATES.map((state) => [state, countOf(state)])) as Record<
    TaskState,
    StateCount | null
  >;
  return {
    ...counts,
    all: addUp(
      PARTS.map((part) => counts[part]),
      countMax,
    ),
  };
}

function addUp(parts: readonly (StateCount | null)[], countMax: number): StateCount | null {
  const counts = parts.filter((part) => part !== null);
  const count = counts.reduce((sum, part) => sum + part.count, 0);
  const isWhole = counts.length === parts.length;
  if (!isWhole && count <= countMax) return null;
  return capped(count, countMax, !isWhole || counts.some(({ atLeast }) => atLeast));
}

function capped(count: number, countMax: number, atLeast: boolean): StateCount {
  return { count: Math.min(count, countMax), atLeast: atLeast || count > countMax };
}

/** The ids that a list in order of id or of biz key begins with. */
function namedIds({ ids, bulkId, bizKey, bizKeyPrefix }: CountedFilter, limit: number): SQL {
  if (ids) return ids.length === 0 ? sql`(SELECT 0 AS id)` : idRows(ids);
  if (bulkId !== undefined) {
    return sql`(SELECT task_id AS id FROM ${bulkItem} FORCE INDEX (idx_result) WHERE bulk_id = ${idLiteral(bulkId)} AND result = 'done'
      ORDER BY task_id DESC LIMIT ${raw(limit)})`;
  }
  const ofKey = bizKey !== undefined ? sql`biz_key = ${bizKey}` : sql`biz_key LIKE ${likePrefix(bizKeyPrefix ?? "")}`;
  return sql`(SELECT id FROM ${task} FORCE INDEX (uk_event_biz) WHERE ${ofKey} ORDER BY biz_key, event_type LIMIT ${raw(limit)})`;
}

/**
 * The ids of a part, in sources of one type, of two, of four and so on: a server may read every branch of a union before
 * it takes the first of them, and the first types often suffice.
 */
function entriesOf(session: Session, part: Part, filter: CountedFilter, eventTypes: readonly string[]): IdSource[] {
  const bounds = dueTimeConditions(session, { ...filter, state: part }).map((bound) => sql`AND ${bound}`);
  const branches = eventTypes.flatMap((eventType) =>
    statusesOf(part).map(
      (status): IdSource =>
        (limit) =>
          sql`(SELECT id FROM ${task} FORCE INDEX (idx_claim)
        WHERE event_type = ${eventType} AND status = ${STATUS_CODE[status]} ${sql.join(bounds, sql` `)} LIMIT ${raw(limit)})`,
    ),
  );
  const sources: IdSource[] = [];
  for (let start = 0, size = 1; start < branches.length; size = Math.min(2 * size, BRANCHES_PER_STATEMENT)) {
    const some = branches.slice(start, start + size);
    sources.push((limit) => someOf(some, limit));
    start += some.length;
  }
  return sources;
}

function someOf(branches: readonly IdSource[], limit: number): SQL {
  const selects = branches.map((branch) => branch(limit));
  const [only] = selects;
  return only && selects.length === 1 ? only : sql`(${sql.join(selects, sql` UNION ALL `)} LIMIT ${raw(limit)})`;
}

async function countEntries(
  session: Session,
  sources: readonly IdSource[],
  { countMax = STATE_COUNT_MAX }: CountParams,
): Promise<StateCount> {
  let count = 0;
  for (const source of sources) {
    const [row] = await session.rows<{ n: string | number }>(
      sql`SELECT COUNT(*) AS n FROM ${source(countMax + 1 - count)} AS list`,
    );
    count += Number(row?.n ?? 0);
    if (count > countMax) break;
  }
  return capped(count, countMax, false);
}

async function countRows(
  session: Session,
  sources: readonly IdSource[],
  states: readonly TaskState[],
  { filter, countMax = STATE_COUNT_MAX, rowsMax = COUNT_ROWS_MAX }: CountParams,
): Promise<Map<TaskState, StateCount>> {
  const counts = states.map(() => 0);
  const sums = states.map(
    (state, at) => sql`SUM(IF(${filterCondition(session, { ...filter, state })}, 1, 0)) AS ${sql.raw(`n${at}`)}`,
  );
  let scanned = 0;
  for (const source of states.length === 0 ? [] : sources) {
    const [row] = await session.rows<Record<string, string | number | null>>(
      sql`SELECT COUNT(*) AS scanned, ${sql.join(sums, sql`, `)}
        FROM ${source(rowsMax + 1 - scanned)} AS list STRAIGHT_JOIN ${task} AS t FORCE INDEX (PRIMARY) ON t.id = list.id`,
    );
    scanned += Number(row?.["scanned"] ?? 0);
    states.forEach((_, at) => (counts[at] = (counts[at] ?? 0) + Number(row?.[`n${at}`] ?? 0)));
    if (scanned > rowsMax) break;
  }
  return new Map(states.map((state, at) => [state, capped(counts[at] ?? 0, countMax, scanned > rowsMax)]));
}

function raw(limit: number): SQL {
  return sql.raw(String(Math.max(1, Math.trunc(limit))));
}
