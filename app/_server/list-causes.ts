import "server-only";
import { readBulkBounds } from "../../db/queries/bulk-operations.ts";
import { type MatchGroup, type MatchSample, readSamples, summarizeMatches } from "../../db/queries/bulk-summary.ts";
import type { Asker } from "./asker.ts";
import { knownTypes } from "./bulk-scope.ts";
import { consoleDatabase } from "./database.ts";
import { withMaskedHead } from "./mask-head.ts";

const ROWS_MAX = 50_000;
const CAUSES_MAX = 100;

/** The failed tasks that share one error fingerprint. */
export interface CauseGroup {
  /** `none`: without a fingerprint. */
  readonly cause: string;
  readonly count: number;
  readonly eventTypes: readonly { readonly eventType: string; readonly count: number }[];
  readonly firstAt: string;
  readonly lastAt: string;
  /** One of them. */
  readonly sample: MatchSample | undefined;
}

export interface CauseList {
  readonly asOf: string;
  readonly causes: readonly CauseGroup[];
  readonly failed: number;
  /** True: looking stopped at its limit; the counts are at least so high, and further causes may exist. */
  readonly isCapped: boolean;
  /** Causes beyond those that are listed. */
  readonly otherCauses: number;
}

/** Why tasks of the asker's event types failed for good, the most frequent cause first, read in bounded work. */
export async function listCauses(asker: Asker): Promise<CauseList> {
  return consoleDatabase().use(async (session) => {
    const bounds = await readBulkBounds(session);
    const eventTypes = await knownTypes(session, asker, undefined);
    const summary = await summarizeMatches(
      session,
      { action: "reset", filter: { state: "failed", eventTypes }, bounds },
      ROWS_MAX,
    );
    const merged = mergeByCause(summary.groups);
    const shown = merged.slice(0, CAUSES_MAX);
    const samples = await readSamples(
      session,
      shown.map(({ sampleId }) => sampleId),
    );
    const sampleById = new Map(samples.map((sample) => [sample.id, withMaskedHead(sample)]));
    return {
      asOf: session.zone.parseInstant(bounds.boundTime).toISOString(),
      causes: shown.map(({ sampleId, ...cause }) => ({ ...cause, sample: sampleById.get(sampleId) })),
      failed: summary.count,
      isCapped: summary.isCapped,
      otherCauses: merged.length - shown.length,
    };
  });
}

function mergeByCause(groups: readonly MatchGroup[]) {
  const causes = new Map<string, MatchGroup[]>();
  for (const group of groups) {
    const members = causes.get(group.cause ?? "none");
    if (members) members.push(group);
    else causes.set(group.cause ?? "none", [group]);
  }
  return [...causes]
    .map(([cause, members]) => {
      const byCount = [...members].sort((one, other) => other.count - one.count);
      const newest = members.reduce((one, other) => (other.newestAt > one.newestAt ? other : one));
      return {
        cause,
        count: members.reduce((sum, { count }) => sum + count, 0),
        eventTypes: byCount.map(({ eventType, count }) => ({ eventType, count })),
        firstAt: new Date(Math.min(...members.map(({ oldestAt }) => oldestAt.getTime()))).toISOString(),
        lastAt: newest.newestAt.toISOString(),
        sampleId: newest.sampleId,
      };
    })
    .sort((one, other) => other.count - one.count || (one.cause < other.cause ? -1 : 1));
}
