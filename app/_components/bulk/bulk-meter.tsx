"use client";

import { useTranslations } from "next-intl";
import type { BulkView } from "../../_server/bulk-view.ts";

/** How much of an action is dealt with: changed tasks in full colour, those left alone behind them in grey. */
export function BulkMeter({ bulk, className = "" }: { bulk: BulkView; className?: string }) {
  const t = useTranslations("bulk");
  const { done, skipped, estimate } = bulk;
  const whole = Math.max(1, estimate, done + skipped);
  const percent = bulk.state === "finished" ? 100 : Math.floor((100 * (done + skipped)) / whole);
  return (
    <div
      role="progressbar"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-label={t("progressLabel", { percent })}
      className={`h-1.5 overflow-hidden rounded-full bg-line ${className}`}
    >
      <svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" className="block size-full">
        <rect width={(1_000 * (done + skipped)) / whole} height="10" className="fill-ink-3" />
        <rect width={(1_000 * done) / whole} height="10" className="fill-accent" />
      </svg>
    </div>
  );
}
