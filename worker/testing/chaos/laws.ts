import type { Aftermath, FinalTask, HistoryEntry } from "./aftermath.ts";
import type { LedgerLine } from "./ledger.ts";
import { FOREIGN_TYPE } from "./setting.ts";

/** Two readings of one clock in whole milliseconds. */
const ROUNDING_MS = 2;
/** Business transactions may fail with the outage itself, never as the victim of somebody's lock. */
const LOCK_ERRORS: ReadonlySet<string> = new Set(["1205", "1213", "1020", "3572"]);
/** Handlers of these types never fail by themselves. */
const NEVER_FAIL: ReadonlySet<string> = new Set(["PLAIN", "SLOW", "STUCK"]);

type CallLine = Extract<LedgerLine, { kind: "call" }>;
type Ends = Map<string, Extract<LedgerLine, { kind: "end" }>>;

export interface Evidence {
  readonly aftermath: Aftermath;
  readonly ledger: readonly LedgerLine[];
  readonly foreignTasks: number;
}

/** Calls of a task in the order of their claims, and what is stored of it. */
export interface TaskStory {
  readonly task: FinalTask;
  readonly calls: readonly CallLine[];
  readonly history: readonly HistoryEntry[];
}

export function storiesOf({ aftermath, ledger }: Evidence): TaskStory[] {
  const callsById = new Map<string, CallLine[]>();
  for (const line of ledger) {
    if (line.kind !== "call") continue;
    const calls = callsById.get(line.id);
    if (calls) calls.push(line);
    else callsById.set(line.id, [line]);
  }
  return aftermath.tasks.map((task) => ({
    task,
    calls: (callsById.get(task.id) ?? []).sort((one, other) => one.claimNo - other.claimNo),
    history: aftermath.history.get(task.id) ?? [],
  }));
}

/** Everything that the laws forbid and that has happened, one line each with the number of its law. */
export function brokenLaws(evidence: Evidence): string[] {
  const stories = storiesOf(evidence);
  const ends: Ends = new Map();
  for (const line of evidence.ledger) if (line.kind === "end") ends.set(claimKey(line.id, line.claimNo), line);
  return [
    ...losses(evidence),
    ...strangeCalls(evidence),
    ...stories.flatMap((story) => [...doubleClaims(story), ...wrongCounts(story, ends), ...earlyRetries(story, ends)]),
    ...wrongEffects(evidence, stories),
    ...harmedTransactions(evidence),
    ...wrongBulks(evidence),
    ...touchedForeign(evidence),
    ...evidence.ledger.flatMap((line) => (line.kind === "broken" ? [`law ${line.law}: ${line.what}`] : [])),
  ];
}

function losses({ aftermath, ledger }: Evidence): string[] {
  const broken: string[] = [];
  const places = new Map<string, number>();
  const known = aftermath.tasks.filter(({ eventType }) => eventType !== FOREIGN_TYPE);
  for (const { bizKey } of known) places.set(bizKey, (places.get(bizKey) ?? 0) + 1);
  const expected = new Set<string>();
  for (const name of aftermath.businessNames) {
    const count = Number(name.split(":")[1]);
    for (let part = 0; part < count; part++) expected.add(`${name}/${part}`);
  }
  for (const key of expected) {
    if (places.get(key) !== 1) broken.push(`law 1: task ${key} is in ${places.get(key) ?? 0} places`);
  }
  for (const key of places.keys()) if (!expected.has(key)) broken.push(`law 1: task ${key} has no business row`);
  const names = new Set(aftermath.businessNames);
  for (const line of ledger) {
    if (line.kind === "told" && !names.has(line.name))
      broken.push(`law 1: ${line.name} was said to be committed and is gone`);
  }
  for (const { id, status } of known) {
    if (status !== "succeeded" && status !== "failed") broken.push(`law 1: task ${id} is still ${String(status)}`);
  }
  return broken;
}

/** A handler that was called for a row that does not exist ran something that was rolled back. */
function strangeCalls({ aftermath, ledger }: Evidence): string[] {
  const ids = new Set(aftermath.tasks.map(({ id }) => id));
  return ledger.flatMap((line) =>
    line.kind === "call" && !ids.has(line.id) ? [`law 1: task ${line.id} was run and does not exist`] : [],
  );
}

function doubleClaims({ task, calls }: TaskStory): string[] {
  const broken: string[] = [];
  calls.forEach((call, index) => {
    if (calls[index - 1]?.claimNo === call.claimNo)
      broken.push(`law 2: claim ${call.claimNo} of task ${task.id} was run twice`);
    if (call.claimNo > task.claimNo) broken.push(`law 2: claim ${call.claimNo} of task ${task.id} was never given out`);
  });
  if (task.status === "succeeded" && calls.at(-1)?.claimNo !== task.claimNo) {
    broken.push(
      `law 2: task ${task.id} succeeded under claim ${task.claimNo}, its last call had ${String(calls.at(-1)?.claimNo)}`,
    );
  }
  return broken;
}

function wrongCounts({ task, calls, history }: TaskStory, ends: Ends): string[] {
  const broken: string[] = [];
  const since = history.slice(history.findLastIndex(({ kind }) => kind === "reset") + 1);
  const counted = since.filter(({ kind }) => kind === "retried" || kind === "failed");
  const failures = counted.filter(({ detail }) => detail !== "abandoned");
  if (failures.length !== task.retryCount) {
    broken.push(`law 3: task ${task.id} counts ${task.retryCount} failures, its history has ${failures.length}`);
  }
  const recycles = since.filter(({ kind }) => kind === "recycled").length;
  if (recycles !== task.recycleCount) {
    broken.push(`law 3: task ${task.id} counts ${task.recycleCount} recycles, its history has ${recycles}`);
  }
  if (task.retryCount > task.maxRetryCount) broken.push(`law 3: task ${task.id} failed ${task.retryCount} times`);
  if (NEVER_FAIL.has(task.eventType) && (task.retryCount > 0 || task.status !== "succeeded")) {
    broken.push(
      `law 3: task ${task.id} of ${task.eventType} never failed; counted ${task.retryCount}, ${String(task.status)}`,
    );
  }
  for (const { claimNo, kind } of history) {
    if (kind !== "retried" && kind !== "failed") continue;
    if (!calls.some((call) => call.claimNo === claimNo))
      broken.push(`law 3: task ${task.id} failed under claim ${claimNo}, uncalled`);
    if (ends.get(claimKey(task.id, claimNo))?.hasThrown === false)
      broken.push(`law 3: task ${task.id} returned under claim ${claimNo}, counted as failed`);
  }
  return broken;
}

/** The wait begins when the failure is stored, so not before the call has ended. */
function earlyRetries({ task, calls, history }: TaskStory, ends: Ends): string[] {
  return history.flatMap(({ kind, claimNo, at, nextRetryAt }) => {
    const end = ends.get(claimKey(task.id, claimNo));
    const next = calls.find((call) => call.claimNo > claimNo);
    if (kind !== "retried" || nextRetryAt === undefined || !end || !next) return [];
    const earlyMs = end.at + (nextRetryAt - at) - next.at;
    return earlyMs > ROUNDING_MS ? [`law 4: task ${task.id} was run ${earlyMs} ms before it was due`] : [];
  });
}

function claimKey(id: string, claimNo: number): string {
  return `${id} ${claimNo}`;
}

/** Exactly once: the effects of `ctx.transaction` are those of the claims that succeeded. */
function wrongEffects({ aftermath }: Evidence, stories: readonly TaskStory[]): string[] {
  const claims = new Map<string, number[]>();
  for (const { taskId, claimNo } of aftermath.effects) claims.set(taskId, [...(claims.get(taskId) ?? []), claimNo]);
  return stories.flatMap(({ task }) => {
    if (task.eventType !== "OWN") return [];
    const expected = task.status === "succeeded" ? [task.claimNo] : [];
    const found = claims.get(task.id) ?? [];
    if (found.join() === expected.join()) return [];
    return [
      `law 2: task ${task.id} has effects of the claims ${found.join() || "none"}, ${expected.join() || "none"} expected`,
    ];
  });
}

function harmedTransactions({ ledger }: Evidence): string[] {
  return ledger.flatMap((line) =>
    line.kind === "error" && LOCK_ERRORS.has(line.code) ? [`law 6: a business transaction met ${line.code}`] : [],
  );
}

function wrongBulks({ aftermath }: Evidence): string[] {
  const told = new Map<string, number>();
  for (const { kind, detail } of [...aftermath.history.values()].flat()) {
    const id = kind === "reset" ? /^bulk (\d+):/.exec(detail ?? "")?.[1] : undefined;
    if (id !== undefined) told.set(id, (told.get(id) ?? 0) + 1);
  }
  return aftermath.bulks.flatMap(({ id, state, done, items }) => {
    const entries = told.get(id) ?? 0;
    if (state === "finished" && done === items && done === entries) return [];
    return [`law 8: bulk action ${id} is ${state}: ${done} done, ${items} noted, ${entries} in the histories`];
  });
}

function touchedForeign({ aftermath, foreignTasks }: Evidence): string[] {
  const foreign = aftermath.tasks.filter(({ eventType }) => eventType === FOREIGN_TYPE);
  const untouched = foreign.filter((task) => task.status === "pending" && task.claimNo === 0 && task.retryCount === 0);
  if (untouched.length === foreignTasks && foreign.length === foreignTasks) return [];
  return [`law 10: ${untouched.length} of ${foreignTasks} tasks of a type nobody knows are untouched`];
}
