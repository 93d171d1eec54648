import * as z from "zod";
import { ROLES } from "../../../db/schema/account.ts";
import { ATTEMPT_KINDS } from "../../../db/schema/attempt.ts";
import { TASK_STATUSES } from "../../../db/schema/task-status.ts";
import { taskId } from "../task-input.ts";

/** What answers of several areas are made of. */

export const count = z.int().min(0);
export const instant = z.iso.datetime();
export const id = taskId;

export const taskStatus = z.enum(TASK_STATUSES).meta({ id: "TaskStatus" });
export const role = z.enum(ROLES).meta({ id: "Role" });

export const csvFile = { mediaType: "text/csv" } as const;

/** The counts of a few names, the most frequent first. */
export const typeCounts = z.array(z.strictObject({ eventType: z.string(), count }));

/** What an action on one task answers. */
export const actedTask = z.strictObject({ id, taskStatus }).meta({ id: "ActedTask" });

export const payload = z
  .strictObject({
    bytes: count,
    hash: z.string().optional().meta({ description: "names the stored payload by content, for an edit" }),
    isJson: z.boolean(),
    text: z.string().optional().meta({ description: "absent: too large, or not JSON and therefore hidden whole" }),
    masked: z.array(z.tuple([count, count])).meta({ description: "where masks stand in the text: start and end" }),
    isRevealed: z.boolean(),
    isTooLarge: z.boolean(),
  })
  .meta({ id: "Payload" });

/** The columns of a task that a live and an archived one have. */
export const taskFacts = {
  id,
  eventType: z.string(),
  bizKey: z.string(),
  status: taskStatus.optional().meta({ description: "absent: a number that this version does not know" }),
  statusCode: z.int(),
  retryCount: count,
  maxRetryCount: count,
  recycleCount: count,
  retryStrategy: z.string(),
  firstRetryIntervalSeconds: z.number(),
  nextRetryAt: instant,
  claimNo: count,
  owner: z.string().optional(),
  ip: z.string().optional(),
  finishReason: z.string().optional(),
  lastError: z.string().optional().meta({ description: "masked" }),
  errorFingerprint: z.string().optional(),
  startedAt: instant.optional(),
  finishedAt: instant.optional(),
  createdAt: instant,
  updatedAt: instant,
  traceParent: z.string().optional(),
  parentId: z.string().optional().meta({ description: "the task that this one was made from" }),
  origin: z.string().optional(),
  payloadBytes: count,
};

/** An entry of a task's history. */
export const attemptFacts = {
  id: z.string(),
  kind: z.enum(ATTEMPT_KINDS),
  retryCount: count,
  claimNo: count,
  owner: z.string().optional(),
  actor: z.string().optional(),
  detail: z.string().optional().meta({ description: "masked" }),
  error: z.string().optional().meta({ description: "masked" }),
  durationMs: z.number().optional(),
  nextRetryAt: instant.optional(),
  at: instant,
};

/** One of several tasks, to tell what they are like. */
export const matchSample = z
  .strictObject({
    id,
    eventType: z.string(),
    bizKey: z.string(),
    retryCount: count,
    maxRetryCount: count,
    errorHead: z.string().optional(),
  })
  .meta({ id: "TaskSample" });
