import type { Session } from "../session.ts";
import type { ReplaySkip } from "../schema/bulk.ts";
import type { ArchivedRef, BulkFilter } from "./bulk-scope.ts";
import { listEventTypes } from "./event-types.ts";
import { findTaskIds, type KeyedTask } from "./find-task-id.ts";
import {
  findOlderCopies,
  findReplayed,
  readReplaySources,
  refKey,
  type ReplaySource,
  taskKeyText,
} from "./replay-sources.ts";

/** What stands against the replay of one archived task at this moment; all of it, though one is enough. */
export interface JudgedReplay {
  readonly ref: ArchivedRef;
  /** Undefined: it is not in the archive any more. */
  readonly source: ReplaySource | undefined;
  /** A live task of its type and key. */
  readonly twin: KeyedTask | undefined;
  readonly obstacles: ReadonlySet<ReplaySkip>;
}

/** The order in which one of several obstacles is named. */
const NAMED_FIRST = [
  ...(["purged", "out_of_scope", "unknown_type", "unconfirmed"] as const),
  ...(["replayed", "live_twin", "older_copy"] as const),
] satisfies readonly ReplaySkip[];

/** The one obstacle to tell of, or undefined if nothing stands against the replay. */
export function obstacleOf({ obstacles }: JudgedReplay): ReplaySkip | undefined {
  return NAMED_FIRST.find((skip) => obstacles.has(skip));
}

/**
 * Judges at most 200 archived tasks by plain reads; nothing is locked. Of several with one type and key only the newest
 * in the whole archive may be replayed, none that anybody replayed before, and none beside a live twin.
 */
export async function judgeReplays(
  session: Session,
  filter: BulkFilter,
  refs: readonly ArchivedRef[],
): Promise<JudgedReplay[]> {
  const sources = new Map((await readReplaySources(session, refs)).map((source) => [refKey(source), source]));
  const present = [...sources.values()];
  const twins = new Map((await findTaskIds(session, present)).map((twin) => [taskKeyText(twin), twin]));
  const older = await findOlderCopies(session, present);
  const replayed = await findReplayed(session, present);
  const known = new Set((await listEventTypes(session)).map(({ eventType }) => eventType));
  return refs.map((ref) => {
    const source = sources.get(refKey(ref));
    const twin = source && twins.get(taskKeyText(source));
    const found: (ReplaySkip | false | undefined)[] = [
      !source && "purged",
      source && !filter.eventTypes.includes(source.eventType) && "out_of_scope",
      source && !known.has(source.eventType) && "unknown_type",
      source?.hasSucceeded === true && filter.archive?.withSucceeded !== true && "unconfirmed",
      replayed.has(refKey(ref)) && "replayed",
      twin && "live_twin",
      older.has(refKey(ref)) && "older_copy",
    ];
    return { ref, source, twin, obstacles: new Set(found.filter((skip) => typeof skip === "string")) };
  });
}
