import * as z from "zod";
import { ORDER_COLUMNS, type TaskOrder } from "../../db/queries/task-order.ts";
import { taskFilterQuery } from "./task-filter.ts";
import { taskId } from "./task-input.ts";

const ROWS_MAX = 200;

const sort = z
  .string()
  .regex(new RegExp(`^(${ORDER_COLUMNS.join("|")})\\.(asc|desc)$`), "is not an order such as due.asc")
  .transform((text) => {
    const [by, direction] = text.split(".");
    return { by, direction } as TaskOrder;
  })
  .optional();

const cursor = z.string().max(1_000).optional();

/** What `GET /api/v1/tasks` takes. An order that no index serves for the filter gives way to the usual one. */
export const taskPageQuery = z.strictObject({
  ...taskFilterQuery,
  sort,
  cursor,
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/, "is not a number from 1 to 200")
    .transform(Number)
    .pipe(z.number().max(ROWS_MAX))
    .default(50),
});

/** What `GET /api/v1/tasks/newer` takes. */
export const newerQuery = z.strictObject({ ...taskFilterQuery, sort, cursor: z.string().max(1_000) });

/** What `GET /api/v1/tasks/counts` takes: a filter, of which every state is counted. */
export const taskCountsQuery = z.strictObject(taskFilterQuery).omit({ state: true });

/** What `GET /api/v1/tasks.csv` takes. */
export const taskExportQuery = z.strictObject({ ...taskFilterQuery, sort });

/** What `GET /api/v1/tasks/rows` takes. */
export const taskRowsQuery = z.strictObject({
  ids: z
    .string()
    .transform((text) => [...new Set(text.split(",").filter(Boolean))])
    .pipe(z.array(taskId).min(1).max(ROWS_MAX)),
});
