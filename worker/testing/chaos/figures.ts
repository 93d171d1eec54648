import type { Member } from "./fleet.ts";
import { type Evidence, storiesOf, type TaskStory } from "./laws.ts";

/** Why a call was made whose result was never stored, so that the handler was called once more. */
export type Why = "killed" | "deployed" | "stood still or was cut off" | "judged dead on a busy machine" | "given back";

export interface ChaosFigures {
  readonly tasks: number;
  readonly calls: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Calls whose result was not stored, by why. */
  readonly duplicates: Readonly<Partial<Record<Why, number>>>;
  readonly recycled: number;
  /** Late results that were refused. */
  readonly refused: number;
  readonly reset: number;
  /** Errors that business transactions met, by number or code. */
  readonly errors: Readonly<Record<string, number>>;
  /** From the death of a process until its tasks were taken back, in milliseconds. */
  readonly takenBackMs: { readonly deaths: number; readonly p50: number; readonly max: number };
}

/** What a run amounts to, beside the laws. */
export function figuresOf(evidence: Evidence, members: readonly Member[]): ChaosFigures {
  const stories = storiesOf(evidence);
  const entries = stories.flatMap(({ history }) => history);
  const kindCount = (kind: string): number => entries.filter((entry) => entry.kind === kind).length;
  const deaths = new Map(members.flatMap((member) => member.deaths).map((death) => [death.owner, death]));
  const troubled = new Set(members.flatMap((member) => [...member.troubled]));
  const whyOf = (owner: string, wasRecycled: boolean): Why => {
    if (!wasRecycled) return "given back";
    const how = deaths.get(owner)?.how;
    // A process may have lost its claims first and died later: what came first is not told apart.
    return how ?? (troubled.has(owner) ? "stood still or was cut off" : "judged dead on a busy machine");
  };
  const duplicates: Partial<Record<Why, number>> = {};
  for (const story of stories) {
    for (const call of story.calls) {
      if (isStored(story, call.claimNo)) continue;
      const wasRecycled = story.history.some(({ kind, claimNo }) => kind === "recycled" && claimNo === call.claimNo);
      const why = whyOf(call.owner, wasRecycled);
      duplicates[why] = (duplicates[why] ?? 0) + 1;
    }
  }
  const takenBack = new Map<string, number>();
  for (const { kind, owner, at } of entries) {
    const death = owner === null ? undefined : deaths.get(owner);
    if (kind !== "recycled" || !death || death.how !== "killed" || at < death.at) continue;
    takenBack.set(death.owner, Math.max(takenBack.get(death.owner) ?? 0, at - death.at));
  }
  const waits = [...takenBack.values()].sort((one, other) => one - other);
  return {
    tasks: stories.length,
    calls: stories.reduce((sum, { calls }) => sum + calls.length, 0),
    statuses: tally(stories.map(({ task }) => String(task.status))),
    duplicates,
    recycled: kindCount("recycled"),
    refused: kindCount("stale"),
    reset: kindCount("reset"),
    errors: tally(evidence.ledger.flatMap((line) => (line.kind === "error" ? [line.code] : []))),
    takenBackMs: { deaths: waits.length, p50: waits[waits.length >> 1] ?? 0, max: waits.at(-1) ?? 0 },
  };
}

function isStored({ task, history }: TaskStory, claimNo: number): boolean {
  if (task.status === "succeeded" && task.claimNo === claimNo) return true;
  return history.some((entry) => entry.claimNo === claimNo && (entry.kind === "retried" || entry.kind === "failed"));
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
