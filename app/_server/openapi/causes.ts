import * as z from "zod";
import type { Operation } from "./operation.ts";
import { count, instant, matchSample, typeCounts } from "./parts.ts";

const causeList = z
  .strictObject({
    asOf: instant,
    causes: z.array(
      z
        .strictObject({
          cause: z.string().meta({ description: "the error fingerprint; none: without one" }),
          count,
          eventTypes: typeCounts,
          firstAt: instant,
          lastAt: instant,
          sample: matchSample.optional(),
        })
        .meta({ id: "CauseGroup" }),
    ),
    failed: count,
    isCapped: z.boolean().meta({ description: "the counts are at least so high, and further causes may exist" }),
    otherCauses: count.meta({ description: "causes beyond those that are listed" }),
  })
  .meta({ id: "CauseList" });

export const causeOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/api/v1/causes",
    id: "listCauses",
    summary: "Why tasks failed for good, the most frequent cause first",
    permission: "tasks.read",
    answer: causeList,
  },
];
