import { dayOfPartition } from "../../db/archive-partitions.ts";
import type { Database } from "../../db/client.ts";
import { countLane, type PurgeLane } from "../../db/queries/purge-archive.ts";
import {
  ARCHIVE_SOURCES,
  type ArchiveSource,
  digestDay,
  listDayAttemptTypes,
  listDayTypes,
} from "../../db/queries/read-archive.ts";
import { type ArchiveDays, closedAt } from "./closed-days.ts";
import { isOver, type RetentionOf } from "./retention.ts";

/** What the retention allows for one day; whether its export does is asked just before. */
export interface DayPlan {
  readonly day: string;
  /** Everything of the day is past its retention. */
  readonly isWhole: boolean;
  /** What goes if the day cannot be dropped as a whole. */
  readonly lanes: readonly PurgeLane[];
  /** Types that keep the day, each with its retention. */
  readonly keptBy: readonly string[];
}

export async function planDay(database: Database, retentionOf: RetentionOf, day: string, now: Date): Promise<DayPlan> {
  const types = await database.use((session) => listDayTypes(session, day));
  const lanes: PurgeLane[] = [];
  const keptBy: string[] = [];
  for (const eventType of types) {
    const { failed, ended } = retentionOf(eventType);
    const over = { failed: isOver(failed, day, now), ended: isOver(ended, day, now) };
    if (over.failed && over.ended) lanes.push({ day, eventType, which: "all" });
    else if (over.failed) lanes.push({ day, eventType, which: "failed" });
    else if (over.ended) lanes.push({ day, eventType, which: "ended" });
    if (!over.failed || !over.ended) keptBy.push(`${eventType} (${retentionText(retentionOf, eventType)})`);
  }
  if (keptBy.length > 0) return { day, isWhole: false, lanes, keptBy };
  // History that was archived later than its task may belong to a type that no task of the day has.
  for (const eventType of await database.use((session) => listDayAttemptTypes(session, day))) {
    const { failed, ended } = retentionOf(eventType);
    if (isOver(failed, day, now) && isOver(ended, day, now)) continue;
    keptBy.push(`history of ${eventType} (${retentionText(retentionOf, eventType)})`);
  }
  return { day, isWhole: keptBy.length === 0, lanes, keptBy };
}

function retentionText(retentionOf: RetentionOf, eventType: string): string {
  const { failed, ended } = retentionOf(eventType);
  const text = (kept: typeof ended) => (kept === "forever" ? "forever" : `${kept} s`);
  return failed === ended ? text(ended) : `failed ${text(failed)}, others ${text(ended)}`;
}

/** A partition of a past day, in one or both tables, and the days whose rows would go with it. */
export interface PastPartition {
  readonly name: string;
  readonly days: readonly string[];
  readonly tables: readonly ArchiveSource[];
}

/** The partitions whose own day is over; those of today and later, and the default one, are never dropped. */
export function pastPartitions({ now, partitions }: ArchiveDays, settleMs: number): PastPartition[] {
  const names = new Set(ARCHIVE_SOURCES.flatMap((source) => partitions[source].map(({ partition }) => partition)));
  return [...names]
    .filter((name) => {
      const day = dayOfPartition(name);
      return day !== undefined && closedAt(day, settleMs) <= now.getTime();
    })
    .sort()
    .map((name) => {
      const found = ARCHIVE_SOURCES.flatMap((source) =>
        partitions[source].filter(({ partition }) => partition === name).map(({ days }) => ({ source, days })),
      );
      return {
        name,
        days: [...new Set(found.flatMap(({ days }) => days))].sort(),
        tables: found.map(({ source }) => source),
      };
    });
}

/** The rows of a day in both tables. */
export async function countDay(database: Database, day: string): Promise<number> {
  let rows = 0;
  for (const source of ARCHIVE_SOURCES) rows += (await database.use((session) => digestDay(session, source, day))).rows;
  return rows;
}

/** The lanes of a plan that have tasks, with how many. */
export async function countLanes(
  database: Database,
  lanes: readonly PurgeLane[],
): Promise<{ readonly lane: PurgeLane; readonly tasks: number }[]> {
  const counted: { lane: PurgeLane; tasks: number }[] = [];
  for (const lane of lanes) {
    const tasks = await database.use((session) => countLane(session, lane));
    if (tasks > 0) counted.push({ lane, tasks });
  }
  return counted;
}
