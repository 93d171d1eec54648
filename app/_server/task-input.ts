import * as z from "zod";
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
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/, "is not a number from 1 to 200")
    .transform(Number)
    .pipe(z.number().max(200))
    .default(50),
  cursor: z
    .string()
    .max(200)
    .transform((text, context) => {
      const cursor = decodeCursor(text);
      if (cursor) return cursor;
      context.issues.push({ code: "custom", input: text, message: "is not a cursor of this list" });
      return z.NEVER;
    })
    .optional(),
});
