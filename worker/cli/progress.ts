import { systemClock } from "../engine/clock.ts";
import { durationText } from "./duration-text.ts";
import type { CliContext } from "./verb.ts";

const REPORT_MS = 500;
const BAR_WIDTH = 30;

/** `[######......] 1200 of 4000 (600/s, 5 s left)`. A total of 0 is nothing to do: a full bar. */
export function progressBar(done: number, total: number, ms: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(share * BAR_WIDTH);
  const perSecond = ms > 0 ? Math.round((done * 1_000) / ms) : 0;
  const rest = perSecond > 0 && total > done ? `, ${durationText(((total - done) / perSecond) * 1_000)} left` : "";
  return `[${"#".repeat(filled)}${".".repeat(BAR_WIDTH - filled)}] ${done} of ${total} (${perSecond}/s${rest})`;
}

/** Reports how a long verb goes, at most twice a second; `make` is called only when it is time. */
export function progressReporter(
  report: CliContext["report"],
): (make: () => { readonly line: string; readonly json: object }) => void {
  let reportedMs = Number.NEGATIVE_INFINITY;
  return (make) => {
    const nowMs = systemClock.monotonicMs();
    if (nowMs - reportedMs < REPORT_MS) return;
    reportedMs = nowMs;
    report(make());
  };
}
