import * as z from "zod";
import { createReplayInput, dryRunReplayInput } from "../bulk-replay-input.ts";
import { archivedItem } from "./archive.ts";
import { bulk } from "./bulk.ts";
import type { Operation } from "./operation.ts";
import { count, instant, taskStatus, typeCounts } from "./parts.ts";

const dryRun = z
  .strictObject({
    asOf: instant.meta({
      description: "hand it back as seenAt, so that what is archived later stays out of the action",
    }),
    from: instant.optional().meta({ description: "the time that was looked at; absent: all times" }),
    to: instant.optional(),
    count,
    isCapped: z.boolean().meta({ description: "there are more than may be replayed at once" }),
    size: z.enum(["click", "dialog", "type_number", "second_person"]),
    needsApproval: z.boolean().meta({ description: "this asker's order would wait for a second person" }),
    eventTypes: typeCounts,
    states: z.array(z.strictObject({ state: taskStatus, count })),
    succeeded: count.meta({ description: "so many succeeded: an order needs confirmSucceeded and confirmCount" }),
    causes: z.array(
      z.strictObject({
        cause: z.string().meta({ description: "an error fingerprint; none: without one" }),
        count,
        errorHead: z.string().optional(),
      }),
    ),
    otherCauses: count,
    oldestAt: instant.optional(),
    newestAt: instant.optional(),
    samples: z.array(archivedItem),
    obstacles: z
      .strictObject({
        looked: count.meta({ description: "how many were judged, the first to be replayed" }),
        liveTwin: count.meta({ description: "a live task has the same type and key" }),
        replayed: count.meta({ description: "replayed before, by anybody" }),
        olderCopy: count.meta({ description: "the archive has a newer task of the same type and key" }),
        unknownType: count.meta({ description: "no worker has registered the type" }),
        free: count.meta({ description: "nothing stands against them" }),
      })
      .meta({ description: "each counted for itself: a task may have several" }),
  })
  .meta({ id: "ReplayDryRun" });

export const bulkReplayOperations: readonly Operation[] = [
  {
    method: "POST",
    path: "/api/v1/archive/bulk-replay/dry-run",
    id: "dryRunReplay",
    summary: "What a replay of many archived tasks would do now; nothing is changed or stored",
    permission: "archive.replay",
    body: dryRunReplayInput,
    answer: dryRun,
    problems: ["out_of_scope", "body_too_large"],
  },
  {
    method: "POST",
    path: "/api/v1/archive/bulk-replay",
    id: "createReplay",
    summary: "Stores a replay of many archived tasks as a bulk action; each is replayed once at most",
    permission: "archive.replay",
    body: createReplayInput,
    answer: bulk,
    problems: [
      ...(["step_up_required", "out_of_scope", "bulk_nothing", "replay_too_many"] as const),
      ...(["task_succeeded", "bulk_confirm", "bulk_same_open", "bulk_too_many", "body_too_large"] as const),
    ],
  },
];
