import type { Overview } from "../../_server/count-tasks.ts";
import type { DashboardTrends } from "../../_server/dashboard/read-trends.ts";
import { totalsOf } from "../dashboard/overview-totals.ts";
import { verdictOf } from "../dashboard/verdict.ts";

/** How the verdict stands in the browser's tab: an icon of that level, and a few signs before the title. */
export interface TabMark {
  readonly level: "calm" | "attention" | "act" | "unknown";
  /** Signs and a number alone, never a word of the database; empty: nothing. */
  readonly text: string;
}

const COUNT_MAX = 999;

/**
 * The mark of a verdict. Of tasks that wait for a person it counts these, of event types that need attention those, as
 * the sentence of the verdict does; what a person must act on at once has no number but a sign.
 */
export function tabMark(known: {
  readonly overview: Overview | undefined;
  readonly trends: DashboardTrends | undefined;
  readonly isFailing: boolean;
}): TabMark {
  if (known.isFailing) return { level: "unknown", text: "(?)" };
  if (!known.overview) return { level: "calm", text: "" };
  const verdict = verdictOf(known.overview, known.trends);
  switch (verdict.kind) {
    case "calm":
      return { level: "calm", text: "" };
    case "failed":
      return { level: "attention", text: counted(totalsOf(known.overview).failed) };
    case "attention":
      return { level: "attention", text: counted(verdict.types.length) };
    case "very_late":
    case "no_worker":
      return { level: "act", text: "(!)" };
  }
}

/** A title with that mark, in place of the one it has. */
export function markedTitle(title: string, text: string): string {
  const bare = title.replace(/^\((?:\d{1,3}\+?|!|\?)\) /, "");
  return text === "" ? bare : `${text} ${bare}`;
}

function counted(count: number): string {
  return count > COUNT_MAX ? `(${COUNT_MAX}+)` : `(${count})`;
}
