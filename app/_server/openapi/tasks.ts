import * as z from "zod";
import { TASK_STATUSES } from "../../../db/schema/task-status.ts";
import { resetInput, taskId, taskListQuery } from "../task-input.ts";
import type { Operation } from "./operation.ts";

const count = z.int().min(0);

const overview = z
  .strictObject({
    asOf: z.iso.datetime(),
    database: z.string(),
    countMax: count.meta({ description: "counts of one type end here: a number that reaches it means at least" }),
    eventTypes: z.array(
      z
        .strictObject({
          eventType: z.string(),
          paused: z.boolean(),
          pending: count,
          running: count,
          failed: count,
          recycled24h: count,
          oldestDueAgeMs: z.number(),
        })
        .meta({ id: "TypeOverview" }),
    ),
    workers: z.strictObject({ alive: count, registered: count }),
  })
  .meta({ id: "Overview" });

const failedTaskPage = z
  .strictObject({
    asOf: z.iso.datetime(),
    items: z.array(
      z
        .strictObject({
          id: z.string(),
          eventType: z.string(),
          bizKey: z.string(),
          retryCount: count,
          maxRetryCount: count,
          recycleCount: count,
          finishReason: z.string().optional(),
          errorHead: z.string().optional().meta({ description: "the last error, cut" }),
          failedAt: z.iso.datetime(),
        })
        .meta({ id: "FailedTask" }),
    ),
    nextCursor: z.string().optional(),
  })
  .meta({ id: "FailedTaskPage" });

const resetAnswer = z.strictObject({ id: taskId, taskStatus: z.enum(TASK_STATUSES) }).meta({ id: "ResetAnswer" });

export const taskOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/api/v1/overview",
    id: "getOverview",
    summary: "How much waits, runs and failed, by event type, and how many workers are alive",
    permission: "tasks.read",
    answer: overview,
  },
  {
    method: "GET",
    path: "/api/v1/tasks",
    id: "listTasks",
    summary: "Tasks that failed for good, newest due first",
    permission: "tasks.read",
    query: taskListQuery,
    answer: failedTaskPage,
  },
  {
    method: "POST",
    path: "/api/v1/tasks/{id}/reset",
    id: "resetTask",
    summary: "A new start of one failed task: pending, count 0, due now",
    permission: "tasks.act",
    params: { id: taskId },
    body: resetInput,
    answer: resetAnswer,
    problems: ["task_not_found", "task_not_failed"],
  },
];
