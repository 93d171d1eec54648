import * as z from "zod";
import { ENDED_STATUSES } from "../../../db/queries/archive-tasks.ts";
import { BULK_TARGETS } from "../../../db/queries/bulk-scope.ts";
import { BULK_ACTIONS, BULK_RESULTS, BULK_SKIPS, BULK_STATES, CANARY_VERDICTS } from "../../../db/schema/bulk.ts";
import {
  bulkCsvQuery,
  bulkId,
  bulkItemsQuery,
  bulkListQuery,
  bulkPaceInput,
  bulkReasonInput,
  createBulkInput,
  dryRunInput,
} from "../bulk-input.ts";
import type { Operation } from "./operation.ts";
import { count, csvFile, id, instant, matchSample, taskStatus, typeCounts } from "./parts.ts";

const cause = z.string().meta({ description: "an error fingerprint; none: without one" });

const archivedTargets = z
  .strictObject({
    from: instant.optional().meta({ description: "archived at or after" }),
    to: instant.optional().meta({ description: "archived before" }),
    status: z.enum(ENDED_STATUSES).optional(),
    cause: cause.optional(),
    bizKey: z.string().optional(),
    id: id.optional(),
    picked: count.optional().meta({ description: "so many, picked one by one or found by an exact key or id" }),
    withSucceeded: z.boolean().meta({ description: "those that succeeded are meant too" }),
  })
  .meta({ id: "ArchivedTargets" });

const bulkFilter = z
  .strictObject({
    state: z.enum(BULK_TARGETS),
    eventTypes: z.array(z.string()).meta({ description: "by name, as they were known when the action was made" }),
    bizKey: z.string().optional(),
    bizKeyPrefix: z.string().optional(),
    ids: z.array(id).optional(),
    cause: cause.optional(),
    errorText: z.string().optional(),
    worker: z.string().optional(),
    minAttempts: count.optional(),
    recycled: z.boolean().optional(),
    wasReset: z.boolean().optional().meta({ description: "started anew by a person before" }),
    overdueSeconds: count.optional(),
    createdFrom: instant.optional(),
    createdTo: instant.optional(),
    bulkId: id.optional().meta({ description: "only tasks that this other action changed" }),
    archive: archivedTargets.optional().meta({ description: "of a replay: which archived tasks" }),
  })
  .meta({ id: "BulkFilter" });

export const bulk = z
  .strictObject({
    id,
    name: z.string(),
    action: z.enum(BULK_ACTIONS),
    filter: bulkFilter,
    boundAt: instant.meta({ description: "later tasks and later failures are not meant" }),
    state: z.enum(BULK_STATES),
    stateReason: z.string().optional(),
    ratePerSecond: z.number().nullable().meta({ description: "null: as fast as it goes" }),
    jitterMs: z.number(),
    canary: z.strictObject({ rows: count, share: z.number(), verdict: z.enum(CANARY_VERDICTS).optional() }).optional(),
    reason: z.string(),
    actor: z.string(),
    approvedBy: z.string().optional(),
    estimate: count.meta({ description: "how many tasks matched when it was made" }),
    done: count,
    skipped: count,
    createdAt: instant,
    startAt: instant,
    finishedAt: instant.optional(),
    startsInMs: z.number(),
    isStalled: z.boolean().meta({ description: "it ought to go on, and no worker seems to see to it" }),
  })
  .meta({ id: "Bulk" });

const dryRun = z
  .strictObject({
    asOf: instant.meta({ description: "hand it back as seenAt, so that later failures stay out of the action" }),
    count,
    isCapped: z.boolean(),
    size: z.enum(["click", "dialog", "type_number", "second_person"]),
    needsApproval: z.boolean().meta({ description: "this asker's order would wait for a second person" }),
    eventTypes: typeCounts,
    causes: z.array(z.strictObject({ cause, count, errorHead: z.string().optional() })),
    otherCauses: count,
    oldestAt: instant.optional(),
    newestAt: instant.optional(),
    samples: z.array(matchSample),
    resetOften: z
      .strictObject({ count, looked: count })
      .meta({ description: "tasks that were reset twice or more before, among the first that were looked at" }),
  })
  .meta({ id: "DryRun" });

const bulkPage = z
  .strictObject({
    asOf: instant,
    items: z.array(bulk),
    nextCursor: id.optional(),
  })
  .meta({ id: "BulkPage" });

const bulkDetail = z
  .strictObject({
    asOf: instant,
    bulk,
    skips: z.array(z.strictObject({ detail: z.enum(BULK_SKIPS), count })),
    source: z
      .strictObject({ id, name: z.string() })
      .optional()
      .meta({ description: "the action of which this one is the revert or the repetition" }),
  })
  .meta({ id: "BulkDetail" });

const bulkOutcome = z
  .strictObject({
    succeeded: count,
    failed: count.meta({ description: "failed for good again" }),
    retrying: count.meta({ description: "pending after a failed attempt since" }),
    waiting: count.meta({ description: "pending, not tried since" }),
    running: count,
    cancelled: count,
    gone: count.meta({ description: "neither live nor in the archive of the days since" }),
    looked: count,
  })
  .meta({ id: "BulkOutcome" });

const bulkItemPage = z
  .strictObject({
    items: z.array(
      z
        .strictObject({
          taskId: id.meta({ description: "of a replay: the archived task" }),
          result: z.enum(BULK_RESULTS),
          detail: z.enum(BULK_SKIPS).optional(),
          at: instant,
          eventType: z.string().optional(),
          bizKey: z.string().optional(),
          status: taskStatus.optional().meta({ description: "absent: not in the live table; of a replay: of liveId" }),
          archivedAt: instant.optional().meta({ description: "of a replay" }),
          liveId: id
            .optional()
            .meta({ description: "of a replay: the new task, or the live one that stood in its way" }),
        })
        .meta({ id: "BulkItem" }),
    ),
    nextCursor: z.string().optional(),
  })
  .meta({ id: "BulkItemPage" });

export const bulkOperations: readonly Operation[] = [
  {
    method: "POST",
    path: "/api/v1/bulk/dry-run",
    id: "dryRunBulk",
    summary: "What an action over many tasks would do now; nothing is changed or stored",
    permission: "bulk.act",
    body: dryRunInput,
    answer: dryRun,
    problems: ["out_of_scope", "bulk_not_found"],
  },
  {
    method: "GET",
    path: "/api/v1/bulk",
    id: "listBulks",
    summary: "Actions over many tasks, newest first",
    permission: "tasks.read",
    query: bulkListQuery,
    answer: bulkPage,
  },
  {
    method: "POST",
    path: "/api/v1/bulk",
    id: "createBulk",
    summary: "Stores an action over many tasks; a worker begins it after ten seconds, or after a second person's yes",
    permission: "bulk.act",
    body: createBulkInput,
    answer: bulk,
    problems: [
      "step_up_required",
      ...(["out_of_scope", "bulk_not_found", "bulk_nothing", "bulk_confirm"] as const),
      ...(["bulk_same_open", "bulk_too_many"] as const),
    ],
  },
  {
    method: "GET",
    path: "/api/v1/bulk/{id}",
    id: "getBulk",
    summary: "One action, how far it is, and why it left tasks alone",
    permission: "tasks.read",
    params: { id: bulkId },
    answer: bulkDetail,
    problems: ["out_of_scope", "bulk_not_found"],
  },
  {
    method: "GET",
    path: "/api/v1/bulk/{id}/outcome",
    id: "getBulkOutcome",
    summary: "What became, since, of the tasks that it changed",
    permission: "tasks.read",
    params: { id: bulkId },
    answer: bulkOutcome,
    problems: ["out_of_scope", "bulk_not_found"],
  },
  {
    method: "GET",
    path: "/api/v1/bulk/{id}/items",
    id: "listBulkItems",
    summary: "Its tasks and what became of each, by id",
    permission: "tasks.read",
    params: { id: bulkId },
    query: bulkItemsQuery,
    answer: bulkItemPage,
    problems: ["out_of_scope", "bulk_not_found"],
  },
  {
    method: "GET",
    path: "/api/v1/bulk/{id}/items.csv",
    id: "exportBulkItems",
    summary: "The same as CSV; one export at a time",
    permission: "lists.export",
    params: { id: bulkId },
    query: bulkCsvQuery,
    answer: csvFile,
    problems: ["out_of_scope", "bulk_not_found", "export_busy"],
  },
  step("pause", "Stops it where it stands; what is done stays done"),
  step("resume", "Lets a paused or failed action go on"),
  step("abort", "Ends it for ever; before its start that is an undo"),
  {
    ...step("approve", "A second person's yes"),
    permission: "bulk.approve",
    problems: ["step_up_required", "out_of_scope", "bulk_own_approval", "bulk_not_found", "bulk_state"],
  },
  {
    ...step("revert", "Takes back, as an action of its own, what it did to tasks that nobody has touched since"),
    problems: [
      ...(["step_up_required", "out_of_scope", "bulk_not_found"] as const),
      ...(["bulk_state", "bulk_same_open", "bulk_too_many"] as const),
    ],
  },
  { ...step("pace", "Changes the pace of an action that has not ended"), id: "setBulkPace", body: bulkPaceInput },
];

/** A step in the life of an action, by whoever may begin one. */
function step(name: string, summary: string): Operation {
  return {
    method: "POST",
    path: `/api/v1/bulk/{id}/${name}`,
    id: `${name}Bulk`,
    summary,
    permission: "bulk.act",
    params: { id: bulkId },
    body: bulkReasonInput,
    answer: bulk,
    problems: ["out_of_scope", "bulk_not_found", "bulk_state"],
  };
}
