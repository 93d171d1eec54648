import type { CauseHour } from "../../../db/queries/list-causes.ts";
import { groupBy } from "./group-by.ts";

const HOURS = 24;

/** One cause of failures: all that left the same fingerprint. */
export interface CauseSummary {
  /** Null: no error text was left. */
  readonly fingerprint: string | null;
  readonly count: number;
  /** Of these: the last attempt of a task, which then failed for good. */
  readonly failedForGood: number;
  readonly eventTypes: readonly string[];
  readonly firstAt: string;
  readonly lastAt: string;
  /** Failed attempts per hour, oldest first; the last is the hour that ends now. */
  readonly hours: readonly number[];
  /** The newest attempt, whose text stands for all. */
  readonly attemptId: string;
}

/** The causes of these attempts: first those that left the most tasks failed for good, then the most frequent. */
export function causesOf(hours: readonly CauseHour[]): CauseSummary[] {
  const groups = groupBy(hours, ({ fingerprint }) => fingerprint);
  return [...groups].map(([fingerprint, group]) => summaryOf(fingerprint, group)).sort(worseFirst);
}

function summaryOf(fingerprint: string | undefined, group: readonly CauseHour[]): CauseSummary {
  const perHour = Array.from({ length: HOURS }, () => 0);
  let newest = group[0];
  for (const one of group) {
    const index = HOURS - 1 - Math.min(HOURS - 1, Math.max(0, one.hoursAgo));
    perHour[index] = (perHour[index] ?? 0) + one.count;
    if (newest === undefined || BigInt(one.attemptId) > BigInt(newest.attemptId)) newest = one;
  }
  const sum = (part: readonly CauseHour[]) => part.reduce((total, { count }) => total + count, 0);
  const instants = (at: (one: CauseHour) => Date) => group.map((one) => at(one).getTime());
  return {
    fingerprint: fingerprint ?? null,
    count: sum(group),
    failedForGood: sum(group.filter(({ kind }) => kind === "failed")),
    eventTypes: [...new Set(group.map(({ eventType }) => eventType))].sort(),
    firstAt: new Date(Math.min(...instants(({ firstAt }) => firstAt))).toISOString(),
    lastAt: new Date(Math.max(...instants(({ lastAt }) => lastAt))).toISOString(),
    hours: perHour,
    attemptId: newest?.attemptId ?? "0",
  };
}

function worseFirst(a: CauseSummary, b: CauseSummary): number {
  return (
    b.failedForGood - a.failedForGood || b.count - a.count || ((a.fingerprint ?? "") < (b.fingerprint ?? "") ? -1 : 1)
  );
}

/** The first line that says something. */
export function firstLine(text: string): string {
  return (
    text
      .split("\n")
      .map((line) => line.trim())
      .find((line) => line !== "") ?? ""
  );
}
