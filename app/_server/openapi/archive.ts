import * as z from "zod";
import { archivedTaskQuery, archiveFilterQuery, archiveListQuery, replayInput } from "../archive-input.ts";
import { taskId } from "../task-input.ts";
import type { Operation } from "./operation.ts";
import { attemptFacts, count, csvFile, id, instant, payload, taskFacts, taskStatus } from "./parts.ts";

const day = z.iso.date();
const deletedAfter = instant
  .optional()
  .meta({ description: "from when on the retention of its type lets it be deleted; absent: it is kept without limit" });

export const archivedItem = z
  .strictObject({
    id,
    archivedAt: instant,
    eventType: z.string(),
    bizKey: z.string(),
    status: taskStatus.optional(),
    statusCode: z.int(),
    retryCount: count,
    maxRetryCount: count,
    recycleCount: count,
    createdAt: instant,
    finishedAt: instant.optional(),
    finishReason: z.string().optional(),
    errorFingerprint: z.string().optional(),
    errorHead: z.string().optional().meta({ description: "the last error, cut and masked" }),
    parentId: z.string().optional(),
  })
  .meta({ id: "ArchivedTask" });

const archivePage = z
  .strictObject({
    asOf: instant,
    from: instant.optional().meta({ description: "the time that was looked at; absent: all times" }),
    to: instant.optional(),
    items: z.array(archivedItem),
    nextCursor: z.string().optional().meta({ description: "to older tasks; a short page may have it too" }),
    prevCursor: z.string().optional().meta({ description: "to newer tasks" }),
  })
  .meta({ id: "ArchivePage" });

const archiveCount = z
  .strictObject({ count, isCapped: z.boolean().meta({ description: "there are at least so many" }) })
  .meta({ id: "ArchiveCount" });

const archiveSummary = z
  .strictObject({
    asOf: instant,
    deletedBefore: day.optional().meta({ description: "rows archived before this UTC day were deleted by policy" }),
    partlyDeleted: z.array(day).meta({ description: "days of which only types that are kept for longer are left" }),
    eventTypes: z.array(z.string()),
    archivedPerDay: z
      .array(z.strictObject({ eventType: z.string(), day, count }))
      .meta({ description: "per type and UTC day, of the last seven days" }),
    estimate: z
      .strictObject({ rows: count, days: z.array(z.strictObject({ day, rows: count })) })
      .optional()
      .meta({ description: "the server's estimates; absent for who does not see all types" }),
  })
  .meta({ id: "ArchiveSummary" });

const taskPlace = z
  .strictObject({
    id,
    eventType: z.string(),
    status: taskStatus.optional(),
    archivedAt: instant.optional().meta({ description: "absent: it is live" }),
  })
  .meta({ id: "TaskPlace" });

const archivedTask = z
  .strictObject({
    asOf: instant,
    task: z.strictObject({ ...taskFacts, archivedAt: instant }),
    attempts: z.array(z.strictObject(attemptFacts)).meta({ description: "newest first, at most 200" }),
    parent: taskPlace.optional(),
    replays: z.array(taskPlace).meta({ description: "tasks that were made from this one, newest first" }),
    deletedAfter,
  })
  .meta({ id: "ArchivedTaskDetail" });

const replayCheck = z
  .strictObject({
    id,
    archivedAt: instant,
    taskStatus: taskStatus.optional(),
    twin: z
      .strictObject({ id, taskStatus: taskStatus.optional() })
      .optional()
      .meta({ description: "a live task of the same type and key: while it is there, a replay is refused" }),
    wasSuccessful: z.boolean().meta({ description: "a replay needs confirmSucceeded" }),
    deletedAfter,
  })
  .meta({ id: "ReplayCheck" });

const replay = z
  .strictObject({ id: id.meta({ description: "the new task" }), taskStatus, replayOf: id })
  .meta({ id: "Replay" });

export const archiveOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/api/v1/archive",
    id: "listArchive",
    summary: "Archived tasks, newest first: of 31 days at most, or at any time by id or biz key",
    permission: "tasks.read",
    query: archiveListQuery,
    answer: archivePage,
    problems: ["out_of_scope"],
  },
  {
    method: "GET",
    path: "/api/v1/archive/count",
    id: "countArchive",
    summary: "How many archived tasks a filter finds, counted up to a limit",
    permission: "tasks.read",
    query: archiveFilterQuery,
    answer: archiveCount,
    problems: ["out_of_scope"],
  },
  {
    method: "GET",
    path: "/api/v1/archive/summary",
    id: "getArchiveSummary",
    summary: "What the archive holds, and what it no longer holds",
    permission: "tasks.read",
    answer: archiveSummary,
  },
  {
    method: "GET",
    path: "/api/v1/archive.csv",
    id: "exportArchive",
    summary: "The archived tasks of a filter as CSV, without payloads; one export at a time",
    permission: "lists.export",
    query: archiveFilterQuery,
    answer: csvFile,
    problems: ["out_of_scope", "export_busy"],
  },
  {
    method: "GET",
    path: "/api/v1/archive/{id}",
    id: "getArchivedTask",
    summary: "One archived task with its history; the newest, if the server handed its id out again",
    permission: "tasks.read",
    params: { id: taskId },
    query: archivedTaskQuery,
    answer: archivedTask,
    problems: ["out_of_scope", "archived_not_found"],
  },
  {
    method: "GET",
    path: "/api/v1/archive/{id}/payload",
    id: "getArchivedPayload",
    summary: "Its payload, masked",
    permission: "tasks.read",
    params: { id: taskId },
    query: archivedTaskQuery,
    answer: payload,
    problems: ["out_of_scope", "archived_not_found"],
  },
  {
    method: "GET",
    path: "/api/v1/archive/{id}/replay-check",
    id: "checkReplay",
    summary: "What stands against a replay at this moment; nothing is changed",
    permission: "archive.replay",
    params: { id: taskId },
    query: archivedTaskQuery,
    answer: replayCheck,
    problems: ["out_of_scope", "archived_not_found"],
  },
  {
    method: "POST",
    path: "/api/v1/archive/{id}/replay",
    id: "replayTask",
    summary: "A new task made from an archived one, with its payload or, with tasks.edit, an edited one",
    permission: "archive.replay",
    params: { id: taskId },
    body: replayInput,
    answer: replay,
    problems: [
      ...(["payload_not_json", "payload_mask_moved", "out_of_scope", "archived_not_found"] as const),
      ...(["task_succeeded", "live_twin", "payload_too_large"] as const),
    ],
  },
];
