import "server-only";
import { listActions } from "../../../db/queries/list-actions.ts";
import type { Asker } from "../asker.ts";
import { consoleDatabase } from "../database.ts";
import { sharedReads } from "../shared-reads.ts";
import { type ActionItem, actionItems } from "./actions.ts";
import { RANGES, type Range } from "./ranges.ts";
import { readRange } from "./read-metrics.ts";
import { type Series, seriesOf } from "./series.ts";
import { settled } from "./settled.ts";

const ANNOTATIONS_MAX = 40;

/** What the charts of the dashboard draw over one range. */
export interface DashboardSeries extends Series {
  /** The database's clock; it falls into the last bucket, which is therefore not over. */
  readonly asOf: string;
  readonly range: Range;
  readonly bucketMs: number;
  readonly starts: readonly string[];
  /** What people did meanwhile, newest first; null if the audit log could not be read. */
  readonly actions: readonly ActionItem[] | null;
}

/** The charts of one range, of the types that the asker sees. */
export async function readSeries(asker: Asker, range: Range): Promise<DashboardSeries> {
  const { asOf, starts, buckets } = await readRange(range);
  const since = starts[0] ?? asOf;
  const actions = await settled("operator actions", () =>
    sharedReads().read(`actions ${range}`, () =>
      consoleDatabase().use((session) => listActions(session, { since, limit: 500 })),
    ),
  );
  return {
    asOf: asOf.toISOString(),
    range,
    bucketMs: RANGES[range].bucketMs,
    starts: starts.map((at) => at.toISOString()),
    ...seriesOf(
      starts,
      buckets.filter(({ eventType }) => asker.sees(eventType)),
    ),
    actions: actions && actionItems(asker, actions, ANNOTATIONS_MAX),
  };
}
