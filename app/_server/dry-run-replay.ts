import "server-only";
import { firstReplayCursor, listReplayCandidates } from "../../db/queries/replay-candidates.ts";
import type { ArchivedRef, BulkFilter } from "../../db/queries/bulk-scope.ts";
import { type JudgedReplay, judgeReplays } from "../../db/queries/judge-replays.ts";
import { readArchivedSummaries } from "../../db/queries/read-archived-summaries.ts";
import { type ArchivedGroup, type ArchivedMatches, summarizeArchived } from "../../db/queries/replay-summary.ts";
import type { Session } from "../../db/session.ts";
import type { TaskStatus } from "../../db/schema/task-status.ts";
import type { Asker } from "./asker.ts";
import { type ArchivedItem, archivedItem } from "./browse-archive.ts";
import type { DryRunReplayInput } from "./bulk-replay-input.ts";
import { resolveReplay } from "./bulk-replay-scope.ts";
import { type BulkSize, sizeOf } from "./bulk-size.ts";
import { consoleDatabase } from "./database.ts";
import type { CauseCount } from "./dry-run-bulk.ts";

const SAMPLES = 5;
const CAUSES_MAX = 20;
/** So many archived tasks are judged one by one. */
const JUDGED_MAX = 2_000;
const PAGES_MAX = 10;
const STATEMENT_REFS = 200;

/** What a replay of many archived tasks would do if it were begun now; nothing is changed or stored. */
export interface ReplayDryRun {
  /** Hand it back with the order, so that what is archived later stays out of it. */
  readonly asOf: string;
  /** The time that was looked at; left out: all times. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly count: number;
  /** True: there are more than may be replayed at once. */
  readonly isCapped: boolean;
  readonly size: BulkSize;
  /** Whether this asker's order would wait for a second person. */
  readonly needsApproval: boolean;
  readonly eventTypes: readonly { readonly eventType: string; readonly count: number }[];
  readonly states: readonly { readonly state: TaskStatus; readonly count: number }[];
  /** How many of them succeeded: their effect may happen a second time. */
  readonly succeeded: number;
  readonly causes: readonly CauseCount[];
  readonly otherCauses: number;
  /** When the first and the last of them were archived. */
  readonly oldestAt: string | undefined;
  readonly newestAt: string | undefined;
  readonly samples: readonly ArchivedItem[];
  /** What stands against the first `looked` of them, counted each for itself: a task may have several. */
  readonly obstacles: {
    readonly looked: number;
    readonly liveTwin: number;
    readonly replayed: number;
    readonly olderCopy: number;
    readonly unknownType: number;
    /** Those that nothing stands against. */
    readonly free: number;
  };
}

/** Counts, samples and judges what a filter of the archive means at this moment. @throws ConsoleError out_of_scope */
export async function dryRunReplay(asker: Asker, { filter: wish }: DryRunReplayInput): Promise<ReplayDryRun> {
  return consoleDatabase().use(async (session) => {
    const { filter, bounds } = await resolveReplay(session, asker, { filter: wish, withSucceeded: true });
    const matches = await summarizeArchived(session, filter);
    const { groups, count, isCapped } = matches;
    const refs = await firstMatches(session, filter);
    const times = groups.flatMap(({ oldestAt, newestAt }) => [oldestAt.getTime(), newestAt.getTime()]);
    const size = sizeOf(count);
    return {
      asOf: session.zone.parseInstant(bounds.boundTime).toISOString(),
      from: filter.archive?.from,
      to: filter.archive?.to,
      count,
      isCapped,
      size,
      needsApproval: size === "second_person" && !asker.may("bulk.approve"),
      eventTypes: tally(groups, ({ eventType }) => eventType).map(([eventType, n]) => ({ eventType, count: n })),
      states: tally(groups, ({ status }) => status).flatMap(([state, n]) =>
        state === undefined ? [] : [{ state, count: n }],
      ),
      succeeded: succeededOf(matches),
      ...(await causesOf(session, groups)),
      oldestAt: times.length === 0 ? undefined : new Date(Math.min(...times)).toISOString(),
      newestAt: times.length === 0 ? undefined : new Date(Math.max(...times)).toISOString(),
      samples: (await readArchivedSummaries(session, refs.slice(0, SAMPLES))).map(archivedItem),
      obstacles: await obstaclesOf(session, filter, refs),
    };
  });
}

/** How many of the matches succeeded. */
export function succeededOf({ groups }: ArchivedMatches): number {
  return groups.filter(({ status }) => status === "succeeded").reduce((sum, { count }) => sum + count, 0);
}

function tally<Key>(groups: readonly ArchivedGroup[], keyOf: (group: ArchivedGroup) => Key): [Key, number][] {
  const counts = new Map<Key, number>();
  for (const group of groups) counts.set(keyOf(group), (counts.get(keyOf(group)) ?? 0) + group.count);
  return [...counts].sort(([, one], [, other]) => other - one);
}

/** The most frequent causes, each with the error of the newest task that has it. */
async function causesOf(session: Session, groups: readonly ArchivedGroup[]) {
  const counted = tally(groups, ({ cause }) => cause ?? "none");
  const shown = counted.slice(0, CAUSES_MAX).map(([cause, count]) => {
    const [newest] = groups
      .filter((group) => (group.cause ?? "none") === cause)
      .sort((one, other) => other.newestAt.getTime() - one.newestAt.getTime());
    return { cause, count, sample: newest?.sample };
  });
  const samples = shown.flatMap(({ sample }) => (sample ? [sample] : []));
  const heads = new Map(
    (await readArchivedSummaries(session, samples)).map(archivedItem).map((item) => [item.id, item.errorHead]),
  );
  return {
    causes: shown.map(({ cause, count, sample }) => ({ cause, count, errorHead: heads.get(sample?.id ?? "") })),
    otherCauses: counted.slice(CAUSES_MAX).reduce((sum, [, count]) => sum + count, 0),
  };
}

/** The first archived tasks that the action would come to, within a bounded number of looks. */
async function firstMatches(session: Session, filter: BulkFilter): Promise<ArchivedRef[]> {
  const refs: ArchivedRef[] = [];
  let cursor: ReturnType<typeof firstReplayCursor> | undefined = firstReplayCursor(filter);
  for (let pages = 0; pages < PAGES_MAX && cursor !== undefined && refs.length < JUDGED_MAX; pages++) {
    const page = await listReplayCandidates(session, filter, cursor);
    refs.push(...page.candidates.map(({ id, archivedAt }) => ({ id, archivedAt })));
    cursor = page.next;
  }
  return refs.slice(0, JUDGED_MAX);
}

async function obstaclesOf(session: Session, filter: BulkFilter, refs: readonly ArchivedRef[]) {
  const judged: JudgedReplay[] = [];
  for (let start = 0; start < refs.length; start += STATEMENT_REFS) {
    judged.push(...(await judgeReplays(session, filter, refs.slice(start, start + STATEMENT_REFS))));
  }
  const having = (obstacle: "live_twin" | "replayed" | "older_copy" | "unknown_type") =>
    judged.filter(({ obstacles }) => obstacles.has(obstacle)).length;
  return {
    looked: judged.length,
    liveTwin: having("live_twin"),
    replayed: having("replayed"),
    olderCopy: having("older_copy"),
    unknownType: having("unknown_type"),
    free: judged.filter(({ obstacles }) => obstacles.size === 0).length,
  };
}
