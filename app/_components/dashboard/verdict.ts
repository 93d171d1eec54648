import type { Overview, TypeOverview } from "../../_server/count-tasks.ts";
import type { DashboardTrends } from "../../_server/dashboard/read-trends.ts";
import { THRESHOLDS } from "./thresholds.ts";

/** What can be wrong with an event type, worst first. */
export const CONCERNS = ["very_late", "failed", "late", "recycled", "rejected", "failing"] as const;
export type Concern = (typeof CONCERNS)[number];

export interface TypeState {
  readonly type: TypeOverview;
  readonly concerns: readonly Concern[];
  readonly failShare: number | null;
  readonly rejected: number;
  readonly drain: DashboardTrends["types"][number]["drain"];
}

/** Every event type with what is wrong with it, worst first; then the most failed, the oldest due, the name. */
export function typeStates(overview: Overview, trends: DashboardTrends | undefined): TypeState[] {
  const trendOf = new Map(trends?.types.map((trend) => [trend.eventType, trend]));
  const isRecyclingMore = isRising(overview, trends);
  const states = overview.eventTypes.map((type): TypeState => {
    const trend = trendOf.get(type.eventType);
    const failShare = trend?.failShare ?? null;
    const rejected = trend?.rejected ?? 0;
    const isWrong: Record<Concern, boolean> = {
      very_late: !type.paused && type.oldestDueAgeMs >= THRESHOLDS.veryLateMs,
      failed: type.failed > 0,
      late: !type.paused && inRange(type.oldestDueAgeMs, THRESHOLDS.lateMs, THRESHOLDS.veryLateMs),
      recycled: isRecyclingMore && (type.recycled1h ?? 0) > 0,
      rejected: rejected > 0,
      failing: failShare !== null && failShare >= THRESHOLDS.failShare,
    };
    return { type, failShare, rejected, drain: trend?.drain ?? null, concerns: CONCERNS.filter((one) => isWrong[one]) };
  });
  return states.sort(worseFirst);
}

export type Verdict =
  | { readonly kind: "no_worker" | "calm" }
  /** Tasks failed for good, and nothing else is wrong. */
  | { readonly kind: "failed"; readonly types: readonly TypeState[] }
  | { readonly kind: "very_late" | "attention"; readonly types: readonly TypeState[] };

/** The one thing to know first. Without a worker nothing runs, so that comes before all that is wrong with tasks. */
export function verdictOf(overview: Overview, trends: DashboardTrends | undefined): Verdict {
  if (overview.workers?.alive === 0 && overview.eventTypes.length > 0) return { kind: "no_worker" };
  const types = typeStates(overview, trends).filter(({ concerns }) => concerns.length > 0);
  if (types.length === 0) return { kind: "calm" };
  if (types.some(({ concerns }) => concerns.includes("very_late"))) return { kind: "very_late", types };
  const isFailedOnly = types.every(({ concerns }) => concerns.length === 1 && concerns[0] === "failed");
  return { kind: isFailedOnly ? "failed" : "attention", types };
}

function isRising(overview: Overview, trends: DashboardTrends | undefined): boolean {
  const recycled = overview.eventTypes.reduce((total, type) => total + (type.recycled1h ?? 0), 0);
  return recycled >= THRESHOLDS.recycled && recycled > (trends?.hourAgo.recycled ?? 0);
}

function worseFirst(a: TypeState, b: TypeState): number {
  const rank = ({ concerns }: TypeState) =>
    concerns[0] === undefined ? CONCERNS.length : CONCERNS.indexOf(concerns[0]);
  return (
    rank(a) - rank(b) ||
    b.type.failed - a.type.failed ||
    b.type.oldestDueAgeMs - a.type.oldestDueAgeMs ||
    b.type.due - a.type.due ||
    (a.type.eventType < b.type.eventType ? -1 : 1)
  );
}

function inRange(value: number, from: number, to: number): boolean {
  return value >= from && value < to;
}
