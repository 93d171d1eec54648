import { describe, expect, it } from "vitest";
import type { CauseHour } from "../../../db/queries/list-causes.ts";
import type { MetricBucket } from "../../../db/queries/metric-rollups.ts";
import { METRIC_COUNTERS, type MetricCounts, type TypeGauges } from "../../../db/queries/metrics.ts";
import { Asker } from "../asker.ts";
import { actionItems } from "./actions.ts";
import { causesOf, firstLine } from "./causes.ts";
import { seriesQuery } from "./dashboard-input.ts";
import { bucketStarts, RANGES, type Range } from "./ranges.ts";
import { seriesOf } from "./series.ts";
import { snapshotOf, sparksOf, typeTrends } from "./trends.ts";

const NOW = new Date("2026-09-24T14:03:20.500Z");
const MINUTE_MS = 60_000;
const minute = (ago: number) => new Date(Math.floor(NOW.getTime() / MINUTE_MS) * MINUTE_MS - ago * MINUTE_MS);
const NONE = Object.fromEntries(METRIC_COUNTERS.map((name) => [name, 0])) as MetricCounts;

function bucket(
  at: Date,
  eventType: string,
  gauges?: Partial<TypeGauges>,
  counts: Partial<MetricCounts> = {},
): MetricBucket {
  const zero = { pending: 0, due: 0, running: 0, failed: 0, oldestDueAgeMs: 0 };
  return { at, eventType, gauges: gauges && { ...zero, ...gauges }, counts: { ...NONE, ...counts } };
}

describe("bucketStarts", () => {
  it.each(Object.keys(RANGES) as Range[])("%s: at most 300 points, evenly, the last holds now", (range) => {
    const starts = bucketStarts(range, NOW).map((at) => at.getTime());
    const { bucketMs, spanMs } = RANGES[range];
    expect(starts.length).toBeLessThanOrEqual(300);
    expect(new Set(starts.slice(1).map((at, n) => at - (starts[n] ?? 0)))).toEqual(new Set([bucketMs]));
    const last = starts.at(-1) ?? 0;
    expect(last <= NOW.getTime() && NOW.getTime() < last + bucketMs).toBe(true);
    expect(last - (starts[0] ?? 0)).toBe(spanMs);
  });
});

describe("seriesOf", () => {
  const starts = [minute(1), minute(0)];

  it("keeps the six busiest types apart and adds up the rest; a bucket that nobody sampled is no zero", () => {
    const types = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const buckets = types.map((name, n) => bucket(minute(0), name, { due: 10 - n }));
    const { backlog } = seriesOf(starts, [...buckets, bucket(minute(0), "idle", { due: 0 })]);
    expect(backlog.map(({ eventType }) => eventType)).toEqual(["a", "b", "c", "d", "e", "f", undefined]);
    expect(backlog[0]?.due).toEqual([null, 10]);
    expect(backlog.at(-1)?.due).toEqual([null, 4 + 3]);
  });

  it("adds up how runs ended and takes the highest age; skipped runs succeeded", () => {
    const { outcomes, oldestDueAgeMs } = seriesOf(starts, [
      bucket(minute(1), "a", { oldestDueAgeMs: 5 }, { succeeded: 2, skipped: 1, rejected: 4 }),
      bucket(minute(1), "b", { oldestDueAgeMs: 9 }, { succeeded: 3, retried: 1, failed: 2, recycled: 1 }),
      bucket(minute(500), "b", undefined, { succeeded: 100 }),
    ]);
    expect(outcomes).toEqual({
      succeeded: [6, 0],
      retried: [1, 0],
      failed: [2, 0],
      recycled: [1, 0],
      rejected: [4, 0],
    });
    expect(oldestDueAgeMs).toEqual([9, null]);
  });
});

describe("trends", () => {
  it("add up the types of each minute, and leave out minutes that nobody sampled", () => {
    const sparks = sparksOf(
      [minute(2), minute(1), minute(0)],
      [
        bucket(minute(2), "a", { due: 1, oldestDueAgeMs: 10 }, { recycled: 2 }),
        bucket(minute(2), "b", { due: 2, oldestDueAgeMs: 30 }),
        bucket(minute(1), "a", undefined, { recycled: 1 }),
      ],
    );
    expect(sparks).toMatchObject({ due: [3, null, null], oldestDueAgeMs: [30, null, null], recycled: [2, 1, 0] });
    expect(snapshotOf([])).toEqual({ due: null, oldestDueAgeMs: null, running: null, failed: null, recycled: 0 });
  });

  it("tell the share of failed runs of the last five minutes", () => {
    const [type] = typeTrends(NOW, [
      bucket(minute(0), "a", undefined, { succeeded: 5, skipped: 1, retried: 1, rejected: 3 }),
      bucket(minute(5), "a", undefined, { failed: 1 }),
      bucket(minute(6), "a", undefined, { failed: 100 }),
    ]);
    expect(type).toMatchObject({ eventType: "a", failShare: 2 / 8, rejected: 3 });
    expect(typeTrends(NOW, [bucket(minute(0), "a", { due: 1 })])[0]?.failShare).toBeNull();
  });

  it.each([
    ["falls by 10 a minute", [100, 90, 80, 70, 60], { inMs: 6 * MINUTE_MS }],
    ["stands still", [60, 60, 60, 60, 60], "not_draining"],
    ["grows", [10, 20, 30, 40, 50], "not_draining"],
    ["is gone", [10, 8, 6, 4, 0], "none"],
    ["has one sample only", [10], null],
  ] as const)("estimate when a backlog is gone that %s", (_, due, drain) => {
    const samples = due.map((one, n) => bucket(minute(due.length - 1 - n), "a", { due: one }));
    expect(typeTrends(NOW, samples)[0]?.drain).toEqual(drain);
  });
});

describe("causesOf", () => {
  const hour = (values: Partial<CauseHour>): CauseHour => ({
    ...{ fingerprint: "f1", eventType: "A", kind: "retried", hoursAgo: 0, count: 1 },
    ...{ firstAt: NOW, lastAt: NOW, attemptId: "1", ...values },
  });

  it("joins the types and hours of one cause and puts first what failed tasks for good", () => {
    const earlier = new Date(NOW.getTime() - 5);
    const causes = causesOf([
      hour({ fingerprint: "busy", count: 900 }),
      hour({ eventType: "B", kind: "failed", count: 2, hoursAgo: 3, firstAt: earlier, attemptId: "9007199254740993" }),
      hour({ count: 4, attemptId: "9007199254740992" }),
      hour({ fingerprint: undefined, count: 1 }),
    ]);
    expect(causes.map(({ fingerprint, count, failedForGood }) => [fingerprint, count, failedForGood])).toEqual([
      ["f1", 6, 2],
      ["busy", 900, 0],
      [null, 1, 0],
    ]);
    expect(causes[0]).toMatchObject({
      eventTypes: ["A", "B"],
      firstAt: earlier.toISOString(),
      lastAt: NOW.toISOString(),
      attemptId: "9007199254740993",
    });
    expect(causes[0]?.hours.slice(20)).toEqual([2, 0, 0, 4]);
    expect(causes[0]?.hours).toHaveLength(24);
  });

  it("shows the first line that says something", () => {
    expect(firstLine("\n  \n  Error: boom \n at x")).toBe("Error: boom");
    expect(firstLine("")).toBe("");
  });
});

describe("actionItems", () => {
  const action = (id: string, eventType: string | undefined) => ({
    ...{
      id,
      at: NOW,
      actor: "ada",
      action: "task.reset",
      objectKind: "task",
      objectId: "1",
      eventType,
      reason: undefined,
    },
  });
  const asker = (scopes: readonly string[] | undefined) =>
    new Asker({ actor: "eve", actorKind: "person", role: "viewer", scopes, ip: undefined, requestId: "r" });

  it("hides from who is confined to types what concerns others, or may", () => {
    const actions = [action("1", "A"), action("2", "B"), action("3", undefined)];
    expect(actionItems(asker(undefined), actions, 9).map(({ id }) => id)).toEqual(["1", "2", "3"]);
    expect(actionItems(asker(["B"]), actions, 9).map(({ id }) => id)).toEqual(["2"]);
    expect(actionItems(asker(undefined), actions, 1)).toHaveLength(1);
  });
});

describe("the input of the series", () => {
  it("is one of four ranges", () => {
    expect(seriesQuery.parse({})).toEqual({ range: "6h" });
    expect(seriesQuery.safeParse({ range: "1y" }).success).toBe(false);
    expect(seriesQuery.safeParse({ range: "1h", limit: "1" }).success).toBe(false);
  });
});
