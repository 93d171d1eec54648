import "server-only";
import { firstCursor, listCandidates, narrowCandidates } from "../../db/queries/bulk-candidates.ts";
import type { BulkScope } from "../../db/queries/bulk-scope.ts";
import {
  countResetBefore,
  type MatchGroup,
  type MatchSample,
  readSamples,
  summarizeMatches,
} from "../../db/queries/bulk-summary.ts";
import type { Session } from "../../db/session.ts";
import type { Asker } from "./asker.ts";
import type { DryRunInput } from "./bulk-input.ts";
import { resolveScope } from "./bulk-scope.ts";
import { type BulkSize, sizeOf } from "./bulk-size.ts";
import { consoleDatabase } from "./database.ts";
import { withMaskedHead } from "./mask-head.ts";

const SAMPLES = 5;
const CAUSES_MAX = 20;
/** The history of so many tasks is looked at for earlier resets. */
const HISTORY_TASKS_MAX = 2_000;
const PAGES_MAX = 10;
const STATEMENT_IDS = 200;
const OFTEN = 2;

export interface CauseCount {
  /** `none`: without a fingerprint. */
  readonly cause: string;
  readonly count: number;
  readonly errorHead: string | undefined;
}

/** What an action would do if it were begun now; nothing is changed or stored. */
export interface DryRun {
  /** Hand it back with the order, so that later failures stay out of it. */
  readonly asOf: string;
  readonly count: number;
  readonly isCapped: boolean;
  readonly size: BulkSize;
  /** Whether this asker's order would wait for a second person. */
  readonly needsApproval: boolean;
  readonly eventTypes: readonly { readonly eventType: string; readonly count: number }[];
  readonly causes: readonly CauseCount[];
  readonly otherCauses: number;
  readonly oldestAt: string | undefined;
  readonly newestAt: string | undefined;
  readonly samples: readonly MatchSample[];
  /** Tasks that were reset twice or more before, among the first `looked`. */
  readonly resetOften: { readonly count: number; readonly looked: number };
}

/** Counts and samples what a filter means at this moment. @throws ConsoleError out_of_scope, bulk_not_found */
export async function dryRunBulk(asker: Asker, input: DryRunInput): Promise<DryRun> {
  return consoleDatabase().use(async (session) => {
    const scope = await resolveScope(session, asker, input);
    const { groups, count, isCapped } = await summarizeMatches(session, scope);
    const causes = byCause(groups);
    const shown = causes.slice(0, CAUSES_MAX);
    const heads = new Map(
      (
        await readSamples(
          session,
          shown.map(({ sampleId }) => sampleId),
        )
      ).map((sample) => [sample.id, withMaskedHead(sample).errorHead]),
    );
    const ids = await firstMatches(session, scope);
    let often = 0;
    for (let start = 0; start < ids.length; start += STATEMENT_IDS) {
      often += await countResetBefore(session, ids.slice(start, start + STATEMENT_IDS), OFTEN);
    }
    const times = groups.flatMap(({ oldestAt, newestAt }) => [oldestAt.getTime(), newestAt.getTime()]);
    const size = sizeOf(count);
    return {
      asOf: session.zone.parseInstant(scope.bounds.boundTime).toISOString(),
      count,
      isCapped,
      size,
      needsApproval: size === "second_person" && !asker.may("bulk.approve"),
      eventTypes: byType(groups),
      causes: shown.map(({ cause, count: tasks, sampleId }) => ({
        cause,
        count: tasks,
        errorHead: heads.get(sampleId),
      })),
      otherCauses: causes.slice(CAUSES_MAX).reduce((sum, one) => sum + one.count, 0),
      oldestAt: times.length === 0 ? undefined : new Date(Math.min(...times)).toISOString(),
      newestAt: times.length === 0 ? undefined : new Date(Math.max(...times)).toISOString(),
      samples: (await readSamples(session, ids.slice(0, SAMPLES))).map(withMaskedHead),
      resetOften: { count: often, looked: ids.length },
    };
  });
}

function byType(groups: readonly MatchGroup[]): { eventType: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { eventType, count } of groups) counts.set(eventType, (counts.get(eventType) ?? 0) + count);
  return [...counts].map(([eventType, count]) => ({ eventType, count })).sort((one, other) => other.count - one.count);
}

function byCause(groups: readonly MatchGroup[]): { cause: string; count: number; sampleId: string }[] {
  const causes = new Map<string, { cause: string; count: number; sampleId: string }>();
  for (const group of groups) {
    const cause = group.cause ?? "none";
    const known = causes.get(cause);
    if (known) known.count += group.count;
    else causes.set(cause, { cause, count: group.count, sampleId: group.sampleId });
  }
  return [...causes.values()].sort((one, other) => other.count - one.count);
}

/** The first tasks that the action would come to, within a bounded number of looks. */
async function firstMatches(session: Session, scope: BulkScope): Promise<string[]> {
  const ids: string[] = [];
  let cursor: ReturnType<typeof firstCursor> | undefined = firstCursor(scope);
  for (let pages = 0; pages < PAGES_MAX && cursor !== undefined && ids.length < HISTORY_TASKS_MAX; pages++) {
    const page = await listCandidates(session, scope, cursor);
    const found = page.candidates.map(({ id }) => id);
    if (cursor.kind === "range") ids.push(...found);
    else {
      const kept = await narrowCandidates(session, scope, found);
      ids.push(...found.filter((id) => kept.has(id)));
    }
    cursor = page.next;
  }
  return ids.slice(0, HISTORY_TASKS_MAX);
}
