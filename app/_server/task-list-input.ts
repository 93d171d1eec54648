import * as z from "zod";
import { ORDER_COLUMNS, type TaskOrder } from "../../db/queries/task-order.ts";
import { instantText } from "./instant-input.ts";
import { pageLimit } from "./list-input.ts";
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

/** The longest range of creation that payloads are searched in. */
export const PAYLOAD_RANGE_MS = 86_400_000;

/** What `GET /api/v1/tasks` takes. An order that no index serves for the filter gives way to the usual one. */
export const taskPageQuery = z.strictObject({
  ...taskFilterQuery,
  sort,
  cursor,
  at: instantText
    .optional()
    .meta({ description: "begins the page at this instant, in an order of time; a cursor goes before it" }),
  payload: z.string().min(3).max(200).optional().meta({
    description:
      "a text within the payload as it is stored; needs one eventType, and createdFrom and createdTo at most a day apart",
  }),
  limit: pageLimit,
});

/** A page of tasks as it is asked for; a search within payloads is asked for with its bounds. */
export const boundedTaskPageQuery = taskPageQuery.superRefine((query, context) => {
  if (query.payload === undefined) return;
  const needs = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
  if (query.eventType?.length !== 1) needs("eventType", "must be one event type for a search within payloads");
  const [from, to] = [Date.parse(query.createdFrom ?? ""), Date.parse(query.createdTo ?? "")];
  if (!(to - from > 0 && to - from <= PAYLOAD_RANGE_MS)) {
    needs("createdTo", "must be at most a day after createdFrom for a search within payloads");
  }
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
