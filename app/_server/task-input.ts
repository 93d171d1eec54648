import * as z from "zod";
import { pageCursor, pageLimit } from "./list-input.ts";
import { decodeCursor } from "./task-cursor.ts";

const ID_MAX = 9_223_372_036_854_775_807n;

/** A task id as decimal text; it never becomes a number, which would round it beyond 2^53. */
export const taskId = z
  .string()
  .refine((text) => /^[1-9][0-9]{0,18}$/.test(text) && BigInt(text) <= ID_MAX, "is not a task id in decimal digits")
  .meta({ pattern: "^[1-9][0-9]{0,18}$", description: "a 64-bit id in decimal digits" });

/** What `GET /api/v1/tasks` takes. */
export const taskListQuery = z.strictObject({
  status: z.literal("failed"),
  eventType: z.string().min(1).max(64).optional(),
  limit: pageLimit,
  cursor: pageCursor(decodeCursor),
});
