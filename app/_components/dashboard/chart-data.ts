import type { DashboardSeries } from "../../_server/dashboard/read-series.ts";

/** One thing that a chart draws and its table lists. */
export interface Curve {
  readonly key: string;
  readonly name: string;
  readonly kind: "area" | "bar" | "line";
  readonly colour: string;
  /** Told apart by a pattern too. */
  readonly isHatched?: true;
}

/** One bucket of time with every number of it; null where nobody sampled. */
export interface ChartRow {
  readonly at: string;
  readonly values: Readonly<Record<string, number | null>>;
  /** What people did in this time. */
  readonly actions: NonNullable<DashboardSeries["actions"]>;
}

/** The buckets of a range, oldest first. */
export function chartRows(series: DashboardSeries): ChartRow[] {
  const { starts, bucketMs, backlog, outcomes } = series;
  return starts.map((at, index) => {
    const from = Date.parse(at);
    const values: Record<string, number | null> = { oldestDueAgeMs: series.oldestDueAgeMs[index] ?? null };
    for (const [name, counts] of Object.entries(outcomes)) values[name] = counts[index] ?? null;
    for (const [n, { due }] of backlog.entries()) values[`due${n}`] = due[index] ?? null;
    const actions = (series.actions ?? []).filter((action) => {
      const actedAt = Date.parse(action.at);
      return actedAt >= from && actedAt < from + bucketMs;
    });
    return { at, values, actions };
  });
}

export function sumOf(rows: readonly ChartRow[], key: string): number {
  return rows.reduce((sum, { values }) => sum + (values[key] ?? 0), 0);
}

/** Where a number was highest, at its first such bucket; undefined if it is nowhere known. */
export function highest(
  rows: readonly ChartRow[],
  valueOf: (row: ChartRow) => number | null,
): { readonly at: string; readonly value: number } | undefined {
  let found: { at: string; value: number } | undefined;
  for (const row of rows) {
    const value = valueOf(row);
    if (value !== null && (found === undefined || value > found.value)) found = { at: row.at, value };
  }
  return found;
}

/** The newest number that is known. */
export function lastKnown(rows: readonly ChartRow[], valueOf: (row: ChartRow) => number | null): number | undefined {
  for (const row of [...rows].reverse()) {
    const value = valueOf(row);
    if (value !== null) return value;
  }
  return undefined;
}
