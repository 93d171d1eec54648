"use client";

import { useTranslations } from "next-intl";
import Link from "next/link";
import type { Overview } from "../../_server/count-tasks.ts";
import type { DashboardTrends } from "../../_server/dashboard/read-trends.ts";
import type { ApiError } from "../api-client.ts";
import { formatClock } from "../format-time.ts";
import { Icon } from "../icons.tsx";
import { useCountText } from "../number-text.tsx";
import { useZone } from "../zone.tsx";
import { tasksHref } from "./links.ts";
import { totalsOf } from "./overview-totals.ts";
import { useVerdictText, VERDICT_LOOK } from "./use-verdict-text.ts";

/**
 * The first thing to read: one sentence on whether anything needs a person, one on what, the way to the
 * tasks that wait for one, and when that was found.
 */
export function VerdictLine(props: {
  overview: Overview | undefined;
  trends: DashboardTrends | undefined;
  error: ApiError | null;
}) {
  const t = useTranslations("verdict");
  const { timeZone = "UTC" } = useZone();
  const count = useCountText();
  const totals = props.overview && totalsOf(props.overview);
  const { look, title, hint } = useVerdictText(props);
  const { icon, colours, frame } = VERDICT_LOOK[look];
  const asOf = props.error ? undefined : props.overview?.asOf;
  return (
    <section className={`card flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-3 ${frame}`}>
      <div className="flex min-w-0 flex-1 basis-80 flex-wrap items-center gap-x-3 gap-y-0.5">
        <h2 className={`flex items-center gap-2.5 text-lg font-semibold ${colours}`}>
          <Icon name={icon} className="size-5" />
          {title}
        </h2>
        {hint && <p className="min-w-0 wrap-anywhere text-ink-2">{hint}</p>}
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 sm:ms-auto">
        {totals && totals.failed > 0 && (
          <Link href={tasksHref({ state: "failed" })} prefetch={false} className="button">
            {t("showFailed", { count: totals.failed, number: count(totals.failed, totals.isCapped.failed) })}
          </Link>
        )}
        {asOf && (
          <p className="text-xs text-ink-2">
            {t.rich("asOf", {
              time: formatClock(new Date(asOf), timeZone),
              at: (text) => <time dateTime={asOf}>{text}</time>,
            })}
          </p>
        )}
      </div>
    </section>
  );
}
