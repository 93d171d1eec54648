import * as z from "zod";
import { BULK_TARGETS } from "../../db/queries/bulk-scope.ts";
import { BULK_RESULTS } from "../../db/schema/bulk.ts";
import { instant } from "./instant-input.ts";
import { pageLimit } from "./list-input.ts";
import { optionalReason, requiredReason } from "./reason-input.ts";
import { taskFilter } from "./task-filter.ts";
import { taskId } from "./task-input.ts";

/** Ids of actions are decimal text, as those of tasks. */
export const bulkId = taskId;

const rate = z.number().min(0.1).max(100_000);

const filter = taskFilter.extend({
  state: z.enum(BULK_TARGETS).default("failed"),
});

const scope = {
  action: z.enum(["reset", "cancel"]),
  filter,
};

/** States that each action can be about. */
const STATES_OF = {
  reset: ["failed", "stuck", "all"],
  cancel: ["failed", "due", "scheduled", "retrying", "all"],
} as const;

type ScopeInput = z.output<z.ZodObject<typeof scope>>;

function checkScope({ action, filter }: ScopeInput, context: z.core.$RefinementCtx): void {
  const states: readonly string[] = STATES_OF[action];
  if (!states.includes(filter.state)) {
    context.addIssue({ code: "custom", path: ["filter", "state"], message: `cannot be ${filter.state} for ${action}` });
  }
  if (filter.state === "all" && filter.ids === undefined && filter.bulkId === undefined) {
    context.addIssue({ code: "custom", path: ["filter", "state"], message: "can be all only with ids or bulkId" });
  }
}

/** What `POST /api/v1/bulk/dry-run` takes. */
export const dryRunInput = z.strictObject(scope).superRefine(checkScope);

/** How an action over many tasks goes on, whatever it is about. */
export const orderFields = {
  name: z.string().trim().min(1).max(128),
  reason: requiredReason,
  /** Rows a second; null: as fast as it goes. */
  ratePerSecond: rate.nullable().default(50),
  /** The tasks' next run is spread over so many seconds. */
  jitterSeconds: z.number().int().min(0).max(86_400).default(0),
  canary: z.strictObject({ rows: z.number().int().min(1).max(1_000), share: z.number().min(0.01).max(1) }).optional(),
  /** The number that the person has typed; needed above 1,000 tasks. */
  confirmCount: z.number().int().min(1).optional(),
  /** When the person's dry run was made: what fails, or is archived, later is not meant. */
  seenAt: instant.optional(),
  /** The same key again is the same action. */
  requestKey: z
    .string()
    .regex(/^[\w-]{8,64}$/)
    .optional(),
};

/** What `POST /api/v1/bulk` takes. */
export const createBulkInput = z.strictObject({ ...scope, ...orderFields }).superRefine(checkScope);

export type DryRunInput = z.output<typeof dryRunInput>;
export type CreateBulkInput = z.output<typeof createBulkInput>;

/** What pause, resume, abort, approve and revert take. */
export const bulkReasonInput = z.strictObject({
  reason: optionalReason,
});

/** What `POST /api/v1/bulk/{id}/pace` takes. */
export const bulkPaceInput = z.strictObject({ ratePerSecond: rate.nullable() });

/** What `GET /api/v1/bulk` takes. */
export const bulkListQuery = z.strictObject({ limit: pageLimit, cursor: bulkId.optional() });

/** What `GET /api/v1/bulk/{id}/items` takes. */
export const bulkItemsQuery = z.strictObject({
  limit: pageLimit,
  /** A task's id; of a replay also when it was archived. */
  cursor: z
    .string()
    .regex(/^[1-9][0-9]{0,18}(-[0-9]{1,15})?$/, "is not a cursor of this list")
    .optional(),
  result: z.enum(BULK_RESULTS).optional(),
});

/** What `GET /api/v1/bulk/{id}/items.csv` takes. */
export const bulkCsvQuery = z.strictObject({ result: z.enum(BULK_RESULTS).optional() });
