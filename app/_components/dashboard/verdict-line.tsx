"use client";

import { useTranslations } from "next-intl";
import type { Overview } from "../../_server/count-tasks.ts";
import type { DashboardTrends } from "../../_server/dashboard/read-trends.ts";
import type { ApiError } from "../api-client.ts";
import { formatClock } from "../format-time.ts";
import { Icon } from "../icons.tsx";
import { useZone } from "../zone.tsx";
import { useVerdictText, VERDICT_LOOK } from "./use-verdict-text.ts";

/** The first thing to read: one sentence on whether anything needs a person, one on what, and when that was found. */
export function VerdictLine(props: {
  overview: Overview | undefined;
  trends: DashboardTrends | undefined;
  error: ApiError | null;
}) {
  const t = useTranslations("verdict");
  const { timeZone = "UTC" } = useZone();
  const { look, title, hint } = useVerdictText(props);
  const { icon, colours, frame } = VERDICT_LOOK[look];
  const asOf = props.error ? undefined : props.overview?.asOf;
  return (
    <section className={`card flex flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-3 ${frame}`}>
      <h2 className={`flex items-center gap-2.5 text-lg font-semibold ${colours}`}>
        <Icon name={icon} className="size-5" />
        {title}
      </h2>
      {hint && <p className="min-w-0 wrap-anywhere text-ink-2">{hint}</p>}
      {asOf && (
        <p className="text-xs text-ink-2 sm:ms-auto">
          {t.rich("asOf", {
            time: formatClock(new Date(asOf), timeZone),
            at: (text) => <time dateTime={asOf}>{text}</time>,
          })}
        </p>
      )}
    </section>
  );
}
