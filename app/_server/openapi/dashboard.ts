import * as z from "zod";
import { emptyQuery, seriesQuery } from "../dashboard/dashboard-input.ts";
import { RANGES, type Range } from "../dashboard/ranges.ts";
import { OUTCOMES } from "../dashboard/series.ts";
import { SPARKS } from "../dashboard/trends.ts";
import type { Operation } from "./operation.ts";
import { count, instant } from "./parts.ts";

const values = z.array(z.number().nullable()).meta({ description: "null where nobody sampled" });

const overview = z
  .strictObject({
    asOf: instant,
    database: z.string(),
    countMax: count.meta({ description: "counts of one type end here: a number that reaches it means at least" }),
    eventTypes: z.array(
      z
        .strictObject({
          eventType: z.string(),
          paused: z.boolean(),
          pending: count,
          due: count.meta({ description: "of the pending: those that could run now" }),
          running: count,
          failed: count,
          recycled1h: count.nullable().meta({ description: "null: the history could not be read" }),
          recycled24h: count.nullable(),
          oldestDueAgeMs: z.number(),
        })
        .meta({ id: "TypeOverview" }),
    ),
    workers: z
      .strictObject({ alive: count, registered: count })
      .nullable()
      .meta({ description: "null: the registry could not be read" }),
  })
  .meta({ id: "Overview" });

const operatorAction = z
  .strictObject({
    id: z.string(),
    at: instant,
    actor: z.string(),
    action: z.string(),
    objectKind: z.string(),
    objectId: z.string().optional(),
    eventType: z.string().optional(),
    reason: z.string().optional(),
  })
  .meta({ id: "OperatorAction" });

const recentActions = z.strictObject({ asOf: instant, items: z.array(operatorAction) }).meta({ id: "RecentActions" });

const topCauses = z
  .strictObject({
    asOf: instant,
    countedSince: instant.nullable().meta({ description: "null: all failures of 24 hours are counted" }),
    attemptsMax: count,
    total: count.meta({ description: "how many causes there are" }),
    items: z.array(
      z
        .strictObject({
          fingerprint: z.string().nullable().meta({ description: "null: no error text was left" }),
          count,
          failedForGood: count,
          eventTypes: z.array(z.string()),
          firstAt: instant,
          lastAt: instant,
          hours: z.array(count).meta({ description: "failed attempts per hour, oldest first" }),
          sample: z.string().nullable().meta({ description: "the first line of the newest error" }),
        })
        .meta({ id: "TopCause" }),
    ),
  })
  .meta({ id: "TopCauses" });

const series = z
  .strictObject({
    asOf: instant.meta({ description: "falls into the last bucket, which is therefore not over" }),
    range: z.enum(Object.keys(RANGES) as [Range, ...Range[]]),
    bucketMs: count,
    starts: z.array(instant),
    backlog: z.array(
      z.strictObject({
        eventType: z.string().optional().meta({ description: "absent: all other types together" }),
        due: values,
      }),
    ),
    outcomes: z.strictObject(named(OUTCOMES, z.array(count))),
    oldestDueAgeMs: values,
    actions: z.array(operatorAction).nullable().meta({ description: "null: the audit log could not be read" }),
  })
  .meta({ id: "DashboardSeries" });

const snapshot = z.strictObject(named(SPARKS, z.number().nullable())).meta({ id: "DashboardSnapshot" });

const trends = z
  .strictObject({
    asOf: instant,
    sparks: z
      .strictObject(named(SPARKS, values))
      .meta({ description: "one value per minute of the last hour, oldest first" }),
    hourAgo: snapshot,
    dayAgo: snapshot,
    types: z.array(
      z
        .strictObject({
          eventType: z.string(),
          failShare: z.number().nullable().meta({ description: "of the runs of five minutes; null if none ended" }),
          rejected: count,
          drain: z
            .union([z.strictObject({ inMs: z.number() }), z.enum(["none", "not_draining"])])
            .nullable()
            .meta({ description: "what becomes of the backlog; null if too few samples tell" }),
        })
        .meta({ id: "TypeTrend" }),
    ),
  })
  .meta({ id: "DashboardTrends" });

export const dashboardOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/api/v1/overview",
    id: "getOverview",
    summary: "How much waits, runs and failed, by event type, and how many workers are alive",
    permission: "tasks.read",
    answer: overview,
  },
  {
    method: "GET",
    path: "/api/v1/dashboard/series",
    id: "getDashboardSeries",
    summary: "The backlog, what ended how, and the age of the oldest due task, over a range of time",
    permission: "tasks.read",
    query: seriesQuery,
    answer: series,
  },
  {
    method: "GET",
    path: "/api/v1/dashboard/trends",
    id: "getDashboardTrends",
    summary: "The last hour by the minute, an hour ago and a day ago, and where each type's backlog goes",
    permission: "tasks.read",
    query: emptyQuery,
    answer: trends,
  },
  {
    method: "GET",
    path: "/api/v1/dashboard/causes",
    id: "getTopCauses",
    summary: "Why attempts failed in the last 24 hours, worst cause first",
    permission: "tasks.read",
    query: emptyQuery,
    answer: topCauses,
  },
  {
    method: "GET",
    path: "/api/v1/dashboard/actions",
    id: "listRecentActions",
    summary: "The last five things that people did, within a week",
    permission: "tasks.read",
    query: emptyQuery,
    answer: recentActions,
  },
];

/** The same schema under each of these names. */
function named<Name extends string, Schema>(names: readonly Name[], schema: Schema): Record<Name, Schema> {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;
}
