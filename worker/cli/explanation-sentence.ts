import type { TaskStatus } from "../../db/schema/task-status.ts";
import { durationText } from "./duration-text.ts";
import type { Hold, TaskExplanation } from "../../db/explain-task.ts";

/** The explanation as one English sentence. `at` writes an instant, with its zone. */
export function explanationSentence(explanation: TaskExplanation, at: (instant: Date) => string): string {
  const { code, params } = explanation;
  const task = `Task ${params.id}`;
  const type = params.eventType ?? "";
  switch (code) {
    case "not_live":
      return `${task} is neither in the live table nor in the archive: it never existed, or its day in the archive was purged.`;
    case "archived": {
      const end = params.finishedAt === undefined ? "" : ` at ${at(params.finishedAt)}`;
      return `${task} ${endText(params.status, params.statusCode)}${end} and was moved to the archive at ${at(params.archivedAt)}; replay it to run its work again as a new task.`;
    }
    case "succeeded":
      return params.isSkipped
        ? `${task} succeeded at ${at(params.at)} without a run, because its work was done already.`
        : `${task} succeeded at ${at(params.at)}.`;
    case "cancelled":
      return `${task} was cancelled at ${at(params.at)}.`;
    case "failed":
      return `${task} failed for good at ${at(params.at)} because ${failureReason(params)}; reset it to run it again.`;
    case "unknown_status":
      return `${task} has the status ${params.statusCode}, which this version does not know; no worker touches it.`;
    case "running":
      return `${task} is running for ${durationText(params.runningMs)} (since ${at(params.since)}) on ${params.owner} (${params.host}, pid ${params.pid}), which is alive${params.isDraining ? " and shutting down once its tasks have ended" : ""}.`;
    case "owner_dead":
      return params.hasRecycler
        ? `${task} was running on ${params.owner}, which is dead; it is recycled within ${durationText(params.withinMs)}.`
        : `${task} was running on ${params.owner}, which is dead, and no living worker knows the type ${type} to recycle it; start one.`;
    case "owner_unknown": {
      const owner = params.owner === undefined ? "without an owner" : `on ${params.owner}, which is not registered`;
      return params.hasRecycler
        ? `${task} is marked as running ${owner}; if its row does not change, it is recycled within ${durationText(params.withinMs)}.`
        : `${task} is marked as running ${owner}, and no living worker knows the type ${type} to recycle it; start one.`;
    }
    case "delayed": {
      const after = params.retryCount > 0 ? ` after failure ${params.retryCount} of ${params.maxRetryCount}` : "";
      const hold = params.hold ? `; as things are, it will not run then either: ${holdText(params.hold, type)}` : "";
      return `${task} is delayed until ${at(params.until)} (in ${durationText(params.inMs)})${after}${hold}.`;
    }
    case "paused":
      return `${task} is due, but ${holdText({ kind: "paused", reason: params.reason }, type)}.`;
    case "no_worker":
      return `${task} is due, but ${holdText({ kind: "no_worker", livingWorkers: params.livingWorkers }, type)}.`;
    case "pools_full":
      return `${task} is due, but ${holdText({ ...params, kind: "pools_full" }, type)}.`;
    case "due": {
      const overdue = params.overdueMs >= 1_000 ? `since ${durationText(params.overdueMs)}` : "now";
      return `${task} is due ${overdue}; a poller takes it within ${durationText(params.withinMs)}.`;
    }
  }
}

function endText(status: TaskStatus | undefined, statusCode: number): string {
  switch (status) {
    case "succeeded":
      return "succeeded";
    case "failed":
      return "failed for good";
    case "cancelled":
      return "was cancelled";
    default:
      return `ended with the status ${status ?? statusCode}`;
  }
}

function holdText(hold: Hold, eventType: string): string {
  switch (hold.kind) {
    case "paused":
      return `the type ${eventType} is paused (${hold.reason ?? "no reason given"})`;
    case "no_worker":
      if (hold.livingWorkers === 0) return "no worker is alive";
      return hold.livingWorkers === 1
        ? `the only living worker takes no tasks of the type ${eventType}`
        : `none of the ${hold.livingWorkers} living workers takes tasks of the type ${eventType}`;
    case "pools_full": {
      const use = `(${hold.running} of ${hold.concurrency} running)`;
      return hold.workers === 1
        ? `the only pool of the type ${eventType} is full ${use}`
        : `all ${hold.workers} pools of the type ${eventType} are full ${use}`;
    }
  }
}

function failureReason(params: {
  readonly reason: string | undefined;
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly recycleCount: number;
}): string {
  switch (params.reason) {
    case "exhausted":
      return `attempt ${params.retryCount} of ${params.maxRetryCount} failed`;
    case "non_retryable":
      return "its handler said that trying again is pointless";
    case "abandoned":
      return `its worker died or was cut off ${params.recycleCount} times while it ran`;
    default:
      return `of ${params.reason ?? "an unrecorded reason"} (${params.retryCount} of ${params.maxRetryCount} attempts failed)`;
  }
}
