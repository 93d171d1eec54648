import * as z from "zod";
import { ACTOR_KINDS, AUDIT_RESULTS } from "../../../db/schema/audit.ts";
import {
  attemptsQuery,
  cancelInput,
  editInput,
  resetInput,
  revealInput,
  runNowInput,
  undoResetInput,
} from "../task-action-input.ts";
import { taskId } from "../task-input.ts";
import { explanation } from "./explanation.ts";
import type { Operation } from "./operation.ts";
import { actedTask, attemptFacts, count, id, instant, payload, taskFacts, taskStatus } from "./parts.ts";

const plan = z
  .strictObject({
    strategy: z.string(),
    firstIntervalSeconds: z.number(),
    capSeconds: z.number(),
    isApproximate: z.boolean().meta({ description: "waits are drawn at random around what is shown" }),
    coming: z
      .array(z.strictObject({ attempt: count, at: instant }))
      .meta({ description: "the attempts that are to come if all go on failing, at most 40" }),
    lastAt: instant.optional(),
    roundMs: z.number().optional().meta({ description: "how long a new start would go on until it gives up" }),
  })
  .meta({ id: "TaskPlan" });

const taskAnswer = z
  .strictObject({
    asOf: instant,
    task: z.strictObject({
      ...taskFacts,
      dueInMs: z.number().meta({ description: "by the database's clock; 0 or less: due" }),
    }),
    explanation,
    plan,
    type: z.strictObject({ isRegistered: z.boolean(), maxRecycles: count }),
    drift: z
      .array(
        z.strictObject({
          name: z.enum(["strategy", "firstIntervalSeconds", "maxRetryCount"]),
          stored: z.union([z.string(), z.number()]),
          current: z.union([z.string(), z.number()]),
        }),
      )
      .meta({ description: "settings that the task carries as it was created, and what its type has now" }),
    lastAttempt: z
      .strictObject({ kind: attemptFacts.kind, isTimeout: z.boolean() })
      .optional()
      .meta({ description: "recycled and a time limit leave open whether the effect happened" }),
    related: z
      .array(
        z.strictObject({
          id,
          eventType: z.string(),
          status: taskStatus.optional(),
          createdAt: instant,
          archivedAt: instant.optional(),
        }),
      )
      .meta({ description: "other tasks of the same biz key, live first" }),
    actions: z.array(
      z.strictObject({
        id: z.string(),
        at: instant,
        actor: z.string(),
        actorKind: z.enum(ACTOR_KINDS),
        role: z.string().optional(),
        action: z.string(),
        result: z.enum(AUDIT_RESULTS),
        reason: z.string().optional(),
      }),
    ),
  })
  .meta({ id: "TaskDetail" });

const attemptPage = z
  .strictObject({
    asOf: instant,
    items: z.array(
      z
        .strictObject({ ...attemptFacts, round: count.meta({ description: "a reset begins a new one, from 1" }) })
        .meta({ id: "Attempt" }),
    ),
    nextCursor: z.string().optional(),
  })
  .meta({ id: "AttemptPage" });

const resetAnswer = z
  .strictObject({
    id,
    taskStatus,
    undoToken: z.string().optional().meta({ description: "for undo-reset; absent: there is no way back" }),
  })
  .meta({ id: "ResetAnswer" });

const ABSENT = ["out_of_scope", "task_not_found", "task_archived"] as const;

export const taskDetailOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/api/v1/tasks/{id}",
    id: "getTask",
    summary: "Everything about one live task but its payload and its history",
    permission: "tasks.read",
    params: { id: taskId },
    answer: taskAnswer,
    problems: ABSENT,
  },
  {
    method: "GET",
    path: "/api/v1/tasks/{id}/attempts",
    id: "listAttempts",
    summary: "The history of a live task, newest first",
    permission: "tasks.read",
    params: { id: taskId },
    query: attemptsQuery,
    answer: attemptPage,
    problems: ABSENT,
  },
  {
    method: "GET",
    path: "/api/v1/tasks/{id}/payload",
    id: "getPayload",
    summary: "The payload of a live task, masked",
    permission: "tasks.read",
    params: { id: taskId },
    answer: payload,
    problems: ABSENT,
  },
  {
    method: "GET",
    path: "/api/v1/tasks/{id}/payload/download",
    id: "downloadPayload",
    summary: "The whole payload as a file, masked",
    permission: "tasks.read",
    params: { id: taskId },
    answer: { mediaType: "application/json" },
    problems: ["payload_not_json", ...ABSENT],
  },
  {
    method: "POST",
    path: "/api/v1/tasks/{id}/payload/reveal",
    id: "revealPayload",
    summary: "The payload with nothing masked; who asked and why is in the audit log before it is shown",
    permission: "payload.reveal",
    params: { id: taskId },
    body: revealInput,
    answer: payload,
    problems: ["step_up_required", ...ABSENT, "payload_too_large"],
  },
  {
    method: "POST",
    path: "/api/v1/tasks/{id}/reset",
    id: "resetTask",
    summary: "A new start of one failed task: pending, count 0, due now or later",
    permission: "tasks.act",
    params: { id: taskId },
    body: resetInput,
    answer: resetAnswer,
    problems: [...ABSENT, "task_not_failed", "task_changed"],
  },
  {
    method: "POST",
    path: "/api/v1/tasks/{id}/undo-reset",
    id: "undoReset",
    summary: "Takes a reset back, while no worker and no person has touched the task since",
    permission: "tasks.act",
    params: { id: taskId },
    body: undoResetInput,
    answer: actedTask,
    problems: [...ABSENT, "undo_too_late"],
  },
  {
    method: "POST",
    path: "/api/v1/tasks/{id}/cancel",
    id: "cancelTask",
    summary: "Ends a task that waits or failed for good, unrun",
    permission: "tasks.act",
    params: { id: taskId },
    body: cancelInput,
    answer: actedTask,
    problems: [...ABSENT, "task_not_waiting", "task_changed"],
  },
  {
    method: "POST",
    path: "/api/v1/tasks/{id}/run-now",
    id: "runTaskNow",
    summary: "Ends the wait of a pending task",
    permission: "tasks.act",
    params: { id: taskId },
    body: runNowInput,
    answer: actedTask,
    problems: [...ABSENT, "task_not_pending", "task_already_due"],
  },
  {
    method: "POST",
    path: "/api/v1/tasks/{id}/edit-retry",
    id: "editTask",
    summary: "A new payload and a new start of a failed task, both or neither; masks left in place keep what is stored",
    permission: "tasks.edit",
    params: { id: taskId },
    body: editInput,
    answer: actedTask,
    problems: [
      ...(["payload_not_json", "payload_mask_moved", "payload_unchanged"] as const),
      ...ABSENT,
      ...(["task_not_failed", "task_changed", "payload_too_large"] as const),
    ],
  },
];
