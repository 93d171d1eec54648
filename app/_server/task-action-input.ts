import * as z from "zod";
import { TASK_STATUSES } from "../../db/schema/task-status.ts";
import { instant } from "./instant-input.ts";
import { pageLimit } from "./list-input.ts";
import { optionalReason, requiredReason } from "./reason-input.ts";

const DELAY_SECONDS_MAX = 365 * 86_400;

/** What the asker saw of the task; the action is refused once it is something else. */
const seen = z.strictObject({
  status: z.enum(TASK_STATUSES),
  claimNo: z.number().int().min(0).max(2_147_483_647),
});

/** What `POST /api/v1/tasks/{id}/reset` takes. Due now unless `delaySeconds` or `runAt` says otherwise. */
export const resetInput = z
  .strictObject({
    reason: optionalReason,
    seen: seen.optional(),
    /** Seconds from the database's now. */
    delaySeconds: z.number().int().min(0).max(DELAY_SECONDS_MAX).optional(),
    runAt: instant
      .refine((at) => at.getTime() < Date.now() + DELAY_SECONDS_MAX * 1_000, "is more than a year away")
      .optional(),
  })
  .refine(({ delaySeconds, runAt }) => delaySeconds === undefined || runAt === undefined, {
    message: "delaySeconds and runAt exclude each other",
  });

/** What `POST /api/v1/tasks/{id}/undo-reset` takes: what the reset answered. */
export const undoResetInput = z.strictObject({ undoToken: z.string().min(1).max(64) });

/** What `POST /api/v1/tasks/{id}/cancel` takes. */
export const cancelInput = z.strictObject({ reason: optionalReason, seen: seen.optional() });

/** What `POST /api/v1/tasks/{id}/run-now` takes. */
export const runNowInput = z.strictObject({ reason: optionalReason });

/** What `POST /api/v1/tasks/{id}/payload/reveal` takes. */
export const revealInput = z.strictObject({ reason: requiredReason });

/** Payloads up to this size can be edited in the console. */
export const EDIT_BYTES_MAX = 64 * 1024;
/** Every byte may be escaped as six in a request. */
export const EDIT_BODY_BYTES_MAX = 6 * EDIT_BYTES_MAX + 8 * 1024;

/** What `POST /api/v1/tasks/{id}/edit-retry` takes: the new payload, what it was made from, and why. */
export const editInput = z.strictObject({
  payload: z.string().min(1),
  /** `hash` of the payload answer that was edited. */
  basedOn: z.string().regex(/^[0-9a-f]{64}$/),
  seen,
  reason: requiredReason,
});

/** What `GET /api/v1/tasks/{id}/attempts` takes. */
export const attemptsQuery = z.strictObject({
  limit: pageLimit,
  cursor: z
    .string()
    .regex(/^[1-9][0-9]{0,18}$/, "is not the id of an entry")
    .optional(),
});
