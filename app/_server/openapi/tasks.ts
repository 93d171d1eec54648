import * as z from "zod";
import { TASK_STATES } from "../../../db/queries/task-filter.ts";
import { ORDER_COLUMNS } from "../../../db/queries/task-order.ts";
import { taskListQuery } from "../task-input.ts";
import { newerQuery, taskCountsQuery, taskExportQuery, taskPageQuery, taskRowsQuery } from "../task-list-input.ts";
import type { Operation } from "./operation.ts";
import { count, csvFile, id, instant, taskStatus } from "./parts.ts";

/** What of a task changes while it lives. */
const progress = {
  id,
  status: taskStatus.optional().meta({ description: "absent: a number that this version does not know" }),
  isStuck: z.boolean().meta({ description: "running, but its owner no longer works on it" }),
  retryCount: count,
  maxRetryCount: count,
  recycleCount: count,
  nextRetryAt: instant,
  startedAt: instant.optional(),
  finishedAt: instant.optional(),
  updatedAt: instant,
  owner: z.string().optional(),
  finishReason: z.string().optional(),
  errorHead: z.string().optional().meta({ description: "the last error, cut" }),
  cause: z.string().optional().meta({ description: "the fingerprint of the last error" }),
};

const taskItem = z
  .strictObject({
    ...progress,
    eventType: z.string(),
    bizKey: z.string(),
    retryStrategy: z.string(),
    firstIntervalSeconds: z.number(),
    createdAt: instant,
    traceParent: z.string().optional(),
    origin: z.string().optional(),
  })
  .meta({ id: "TaskItem" });

const taskPage = z
  .strictObject({
    asOf: instant,
    items: z.array(taskItem),
    startCursor: z.string().optional().meta({ description: "for /api/v1/tasks/newer" }),
    nextCursor: z.string().optional(),
    prevCursor: z.string().optional(),
    order: z.strictObject({ by: z.enum(ORDER_COLUMNS), direction: z.enum(["asc", "desc"]) }),
    orders: z.array(z.enum(ORDER_COLUMNS)).meta({ description: "the orders that this filter can be brought into" }),
    scanned: count,
    exhausted: z
      .boolean()
      .meta({ description: "false: the page is short because its time or its limit of rows was used up" }),
    searchOn: z
      .enum(["next", "prev"])
      .optional()
      .meta({ description: "if not exhausted: the cursor that goes on from where looking ended" }),
    searchedMs: count.optional().meta({ description: "how long a search within payloads took" }),
  })
  .meta({ id: "TaskPage" });

const failedTaskPage = z
  .strictObject({
    asOf: instant,
    items: z.array(
      z
        .strictObject({
          id,
          eventType: z.string(),
          bizKey: z.string(),
          retryCount: count,
          maxRetryCount: count,
          recycleCount: count,
          finishReason: z.string().optional(),
          errorHead: z.string().optional().meta({ description: "the last error, cut" }),
          failedAt: instant,
        })
        .meta({ id: "FailedTask" }),
    ),
    nextCursor: z.string().optional(),
  })
  .meta({ id: "FailedTaskPage" });

const stateCount = z
  .strictObject({ count, atLeast: z.boolean() })
  .nullable()
  .meta({ description: "null: counting this state took too long" });

const taskCounts = z
  .strictObject({
    asOf: instant,
    countMax: count,
    counts: z.strictObject(
      Object.fromEntries(TASK_STATES.map((state) => [state, stateCount])) as Record<
        (typeof TASK_STATES)[number],
        typeof stateCount
      >,
    ),
  })
  .meta({ id: "TaskCounts" });

const newerTasks = z
  .strictObject({ count, atLeast: z.boolean().meta({ description: "there are more than were counted" }) })
  .meta({ id: "NewerTasks" });

const taskProgress = z
  .strictObject({
    asOf: instant,
    rows: z
      .array(z.strictObject(progress).meta({ id: "TaskProgress" }))
      .meta({ description: "tasks that have left the table, or are not the asker's, are missing" }),
  })
  .meta({ id: "TaskProgressList" });

const eventTypeList = z
  .strictObject({ eventTypes: z.array(z.strictObject({ eventType: z.string(), paused: z.boolean() })) })
  .meta({ id: "EventTypeList" });

export const taskOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/api/v1/tasks",
    id: "listTasks",
    summary:
      "Live tasks of a filter; with status=failed, which goes with eventType, limit and cursor alone, the short list of those that failed for good",
    permission: "tasks.read",
    query: taskPageQuery.extend({ status: taskListQuery.shape.status.optional() }),
    answer: z.union([taskPage, failedTaskPage]),
    problems: ["cursor_of_other_list", "out_of_scope"],
  },
  {
    method: "GET",
    path: "/api/v1/tasks/newer",
    id: "countNewerTasks",
    summary: "How many tasks of the filter now stand before a page, up to 99",
    permission: "tasks.read",
    query: newerQuery,
    answer: newerTasks,
    problems: ["cursor_of_other_list", "out_of_scope"],
  },
  {
    method: "GET",
    path: "/api/v1/tasks/counts",
    id: "countTasks",
    summary: "How many tasks of a filter are in each state, each counted up to countMax",
    permission: "tasks.read",
    query: taskCountsQuery,
    answer: taskCounts,
    problems: ["out_of_scope"],
  },
  {
    method: "GET",
    path: "/api/v1/tasks/rows",
    id: "readTaskProgress",
    summary: "How these tasks stand now",
    permission: "tasks.read",
    query: taskRowsQuery,
    answer: taskProgress,
  },
  {
    method: "GET",
    path: "/api/v1/tasks.csv",
    id: "exportTasks",
    summary: "The tasks of a filter as CSV, without payloads; one export at a time",
    permission: "lists.export",
    query: taskExportQuery,
    answer: csvFile,
    problems: ["out_of_scope", "export_busy"],
  },
  {
    method: "GET",
    path: "/api/v1/event-types",
    id: "listEventTypes",
    summary: "The registered event types that the asker sees, by name",
    permission: "tasks.read",
    answer: eventTypeList,
  },
];
