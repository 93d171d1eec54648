import * as z from "zod";
import { rangeIsValid, rangeProblem } from "./archive-input.ts";
import { orderFields } from "./bulk-input.ts";
import { instant } from "./instant-input.ts";
import { EVENT_TYPES_MAX } from "./task-filter.ts";
import { taskId } from "./task-input.ts";

/** Archived tasks that can be picked one by one for a replay. */
export const PICKED_MAX = 500;
/** 500 picked tasks, and what else an order carries. */
export const REPLAY_ORDER_BYTES_MAX = 64 * 1024;

/** Which archived tasks: as the list of the archive has them, or those that were picked from it. */
const archiveFilter = z
  .strictObject({
    from: instant.optional(),
    to: instant.optional(),
    eventTypes: z.array(z.string().min(1).max(64)).min(1).max(EVENT_TYPES_MAX).optional(),
    state: z.enum(["succeeded", "failed", "cancelled"]).optional(),
    cause: z.string().min(1).max(16).optional(),
    bizKey: z.string().min(1).max(128).optional(),
    id: taskId.optional(),
    picked: z
      .array(z.strictObject({ id: taskId, archivedAt: instant }))
      .min(1)
      .max(PICKED_MAX)
      .optional(),
  })
  .refine(rangeIsValid, rangeProblem)
  .refine(({ picked, ...others }) => picked === undefined || Object.values(others).every((one) => one === undefined), {
    path: ["picked"],
    message: "cannot be narrowed further",
  });

/** What `POST /api/v1/archive/bulk-replay/dry-run` takes. */
export const dryRunReplayInput = z.strictObject({ filter: archiveFilter });

/** What `POST /api/v1/archive/bulk-replay` takes. */
export const createReplayInput = z.strictObject({
  filter: archiveFilter,
  ...orderFields,
  /** Needed, with `confirmCount`, if tasks that succeeded are among them. */
  confirmSucceeded: z.boolean().optional(),
});

export type ReplayFilterInput = z.output<typeof archiveFilter>;
export type DryRunReplayInput = z.output<typeof dryRunReplayInput>;
export type CreateReplayInput = z.output<typeof createReplayInput>;
