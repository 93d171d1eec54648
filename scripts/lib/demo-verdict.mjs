/**
 * Below so many tasks a run may happen to have no failing task, and no worker that is busy at the moment of the crash.
 */
export const meaningfulTasks = 100;

/**
 * Compares what was asked for, the tables, and the calls that the downstream has seen.
 *
 * @param {{
 *   tasksWanted: number,
 *   placed: import("./demo-traffic.mjs").PlacedOrder[],
 *   tasks: import("./demo-database.mjs").TaskRow[],
 *   orders: import("./demo-database.mjs").OrderRow[],
 *   calls: { taskId: string, attempt: number, status: number | null }[],
 * }} found
 * @returns {{ counts: Record<string, number>, problems: string[] }}
 */
export function judge({ tasksWanted, placed, tasks, orders, calls }) {
  const expected = new Set(placed.flatMap(({ id, eventTypes }) => eventTypes.map((type) => `${type}/${id}`)));
  const stored = new Set(tasks.map(({ eventType, bizKey }) => `${eventType}/${bizKey}`));
  const callsByTask = groupByTask(calls);
  const inStatus = (status) => tasks.filter((task) => task.status === status).length;

  const missing = [...expected].filter((key) => !stored.has(key));
  const neverRun = tasks.filter((task) => isAtEnd(task) && !hasRun(task, callsByTask.get(task.id) ?? []));
  const repeated = tasks.filter((task) => repeatedCalls(callsByTask.get(task.id) ?? []) > 0);
  const explained = repeated.filter((task) => repeatedCalls(callsByTask.get(task.id) ?? []) <= task.recycleCount);

  const counts = {
    enqueued: expected.size,
    succeeded: inStatus("succeeded"),
    failed: inStatus("failed"),
    pending: inStatus("pending"),
    running: inStatus("running"),
    lost: missing.length + neverRun.length,
    duplicates: repeated.length,
    duplicatesExplained: explained.length,
    recycled: tasks.reduce((sum, { recycleCount }) => sum + recycleCount, 0),
    retried: tasks.filter(({ retryCount }) => retryCount > 0).length,
    calls: calls.length,
  };
  const isMeaningful = tasksWanted >= meaningfulTasks;
  const problems = [
    [counts.enqueued !== tasksWanted, `${counts.enqueued} tasks were enqueued instead of ${tasksWanted}`],
    [tasks.length !== stored.size, `${tasks.length - stored.size} tasks are in two places at once`],
    [missing.length > 0, `${missing.length} enqueued tasks are in no table, such as ${missing[0]}`],
    [stored.size > expected.size, `${stored.size - expected.size} stored tasks belong to no answered order`],
    [neverRun.length > 0, `${neverRun.length} tasks are at their end but never ran, such as ${neverRun[0]?.id}`],
    [counts.pending + counts.running > 0, `${counts.pending} tasks are pending and ${counts.running} running`],
    [
      counts.succeeded + counts.failed !== tasksWanted,
      `${counts.succeeded} succeeded and ${counts.failed} failed tasks do not make ${tasksWanted}`,
    ],
    [
      explained.length < repeated.length,
      `${repeated.length - explained.length} tasks ran twice without the death of a worker`,
    ],
    [isMeaningful && counts.failed === 0, "no task failed, though the downstream refuses some"],
    [isMeaningful && counts.recycled === 0, "no task was recycled, though a worker was killed"],
    ...unevenPayments(tasks, orders),
  ];
  return { counts, problems: problems.filter(([isWrong]) => isWrong).map(([, text]) => text) };
}

const isAtEnd = ({ status }) => status === "succeeded" || status === "failed";

/** A task of a worker that died each time may never have come as far as its call. */
function hasRun({ status, finishReason }, calls) {
  if (status === "succeeded") return calls.some((call) => call.status === 200);
  return calls.length > 0 || finishReason === "abandoned";
}

/**
 * How often the effect was called for an attempt that had called before. A counted failure raises the attempt's number,
 * so two calls with one number mean that nothing was counted between them: either the worker died after its first call
 * and the task was recycled, which may happen once per recycle, or the task ran twice, which must never happen.
 */
function repeatedCalls(calls) {
  return calls.length - new Set(calls.map(({ attempt }) => attempt)).size;
}

/** Booked in the transaction that completes the task: exactly once if it succeeded, else not at all. */
function unevenPayments(tasks, orders) {
  const payments = new Map(tasks.filter(({ eventType }) => eventType === "PAY_ORDER").map((t) => [t.bizKey, t.status]));
  const uneven = orders.filter(({ id, paidCount }) => paidCount !== (payments.get(id) === "succeeded" ? 1 : 0));
  return [[uneven.length > 0, `${uneven.length} orders are not paid exactly as often as their task succeeded`]];
}

function groupByTask(calls) {
  const groups = new Map();
  for (const call of calls) {
    const group = groups.get(call.taskId);
    if (group) group.push(call);
    else groups.set(call.taskId, [call]);
  }
  return groups;
}
