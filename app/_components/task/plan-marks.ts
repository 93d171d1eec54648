import type { AttemptItem } from "../../_server/list-attempts.ts";
import type { TaskAnswer } from "../../_server/show-task.ts";

/** A point of the time axis: an attempt that was made, one that is to come, or the present between them. */
export interface PlanMark {
  readonly key: string;
  readonly look: "retried" | "failed" | "recycled" | "succeeded" | "now" | "coming";
  readonly attempt: number;
  readonly at: string;
  /** From 0 (left) to 1. */
  readonly place: number;
  readonly isLabelled: boolean;
}

const DAY_MS = 86_400_000;
/** Room that each mark has at least, so that attempts within seconds can be told apart beside waits of hours. */
const STEP_MIN = 1;
const LABELS_MAX = 24;

export interface PlanMarks {
  readonly marks: readonly PlanMark[];
  /** How many planned attempts lie more than a day ahead and are left out; the next one never is. */
  readonly beyond: number;
}

/**
 * Attempts of the present round and those to come, in order of time. Distances grow with the logarithm of the wait: a
 * backoff from seconds to hours stays readable. The axis ends a day from now.
 */
export function planMarks(answer: TaskAnswer, entries: readonly AttemptItem[]): PlanMarks {
  const round = entries[0]?.round ?? 1;
  const done = entries
    .filter((entry) => entry.round === round)
    .flatMap((entry) => {
      const { kind, id, at, retryCount } = entry;
      if (kind !== "retried" && kind !== "failed" && kind !== "recycled") return [];
      return [{ key: id, look: kind, attempt: retryCount, at } as const];
    })
    .reverse();
  const { task } = answer;
  const success =
    task.status === "succeeded" && task.finishedAt
      ? [{ key: "succeeded", look: "succeeded", attempt: task.retryCount + 1, at: task.finishedAt } as const]
      : [];
  const limit = Date.parse(answer.asOf) + DAY_MS;
  const planned = answer.plan.coming;
  const drawn = planned.filter(({ at }, index) => index === 0 || Date.parse(at) <= limit);
  const coming = drawn.map(({ attempt, at }) => ({ key: `coming ${attempt}`, look: "coming", attempt, at }) as const);
  const now = coming.length > 0 ? [{ key: "now", look: "now", attempt: 0, at: answer.asOf } as const] : [];
  const all = [...done, ...success, ...now, ...coming];
  const distances = all.map((mark, index) => {
    const before = all[index - 1];
    if (!before) return 0;
    const waitSeconds = Math.max(0, (Date.parse(mark.at) - Date.parse(before.at)) / 1_000);
    return STEP_MIN + Math.log2(1 + waitSeconds);
  });
  const total = distances.reduce((sum, distance) => sum + distance, 0);
  const every = Math.ceil(all.length / LABELS_MAX);
  let reached = 0;
  const marks = all.map((mark, index) => {
    reached += distances[index] ?? 0;
    return {
      ...mark,
      place: total === 0 ? 0.5 : reached / total,
      isLabelled: mark.look !== "recycled" && mark.look !== "now" && index % every === 0,
    };
  });
  return { marks, beyond: planned.length - drawn.length };
}
