import * as z from "zod";
import { RANGES, type Range } from "./ranges.ts";

/** What `GET /api/v1/dashboard/series` takes. */
export const seriesQuery = z.strictObject({
  range: z.enum(Object.keys(RANGES) as [Range, ...Range[]]).default("6h"),
});

/** What the other reads of the dashboard take: nothing. */
export const emptyQuery = z.strictObject({});
