import * as z from "zod";

const page = z.enum(["tasks"]);

/** What `GET /api/v1/saved-views` takes. */
export const savedViewsQuery = z.strictObject({ page });

/** What `POST /api/v1/saved-views` takes; `query` is the search part of the page's address. */
export const savedViewInput = z.strictObject({
  page,
  name: z.string().trim().min(1).max(64),
  query: z
    .string()
    .max(2_000)
    .refine((text) => !text.startsWith("?") && !/[\s#]/.test(text), "is not the search part of an address"),
  shared: z.boolean().default(false),
});
