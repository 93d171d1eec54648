"use client";

import { useFormatter, useLocale, useTranslations } from "next-intl";
import type { Overview } from "../../_server/count-tasks.ts";
import type { DashboardTrends } from "../../_server/dashboard/read-trends.ts";
import type { ApiError } from "../api-client.ts";
import { formatClock, formatDuration } from "../format-time.ts";
import { Icon, type IconName } from "../icons.tsx";
import { visibleText } from "../visible-text.ts";
import { useZone } from "../zone.tsx";
import { totalsOf } from "./overview-totals.ts";
import { type TypeState, verdictOf } from "./verdict.ts";

const TYPES_NAMED = 3;

const LOOK = {
  loading: { icon: "clock", colours: "text-ink-2", frame: "" },
  unknown: { icon: "warning", colours: "text-warn", frame: "bg-warn-tint border-warn/30" },
  calm: { icon: "check", colours: "text-succeeded", frame: "" },
  failed: { icon: "warning", colours: "text-warn", frame: "bg-warn-tint border-warn/30" },
  attention: { icon: "warning", colours: "text-warn", frame: "bg-warn-tint border-warn/30" },
  very_late: { icon: "clock", colours: "text-failed", frame: "bg-failed-tint border-failed/30" },
  no_worker: { icon: "unplug", colours: "text-failed", frame: "bg-failed-tint border-failed/30" },
} as const satisfies Record<string, { icon: IconName; colours: string; frame: string }>;

interface Told {
  readonly look: keyof typeof LOOK;
  readonly title: string;
  readonly hint?: string | undefined;
}

/** The first thing to read: one sentence on whether anything needs a person, one on what, and when that was found. */
export function VerdictLine(props: {
  overview: Overview | undefined;
  trends: DashboardTrends | undefined;
  error: ApiError | null;
}) {
  const t = useTranslations("verdict");
  const { timeZone = "UTC" } = useZone();
  const { look, title, hint } = useVerdictText(props);
  const { icon, colours, frame } = LOOK[look];
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

function useVerdictText(props: Parameters<typeof VerdictLine>[0]): Told {
  const { overview, trends, error } = props;
  const t = useTranslations("verdict");
  const problem = useTranslations("problem");
  const format = useFormatter();
  const locale = useLocale();
  const concernText = useConcernText();
  if (error) {
    const why = problem(`${error.code}`);
    return { look: "unknown", title: t("unknown"), hint: overview ? `${why} ${t("unknownOld")}` : why };
  }
  if (!overview) return { look: "loading", title: t("loading") };
  const verdict = verdictOf(overview, trends);
  switch (verdict.kind) {
    case "calm":
      return { look: "calm", title: t("calm"), hint: t("calmHint") };
    case "no_worker": {
      const count = totalsOf(overview).pending;
      return {
        look: "no_worker",
        title: t("noWorker"),
        hint: t("noWorkerHint", { count, number: format.number(count) }),
      };
    }
    case "failed": {
      const count = totalsOf(overview).failed;
      const names = verdict.types.map(({ type }) => visibleText(type.eventType));
      const types = format.list(names.slice(0, TYPES_NAMED), { type: "conjunction" });
      const rest = names.length - TYPES_NAMED;
      return {
        look: "failed",
        title: t("failed", { count, number: format.number(count) }),
        hint: t("failedHint", { types: rest > 0 ? t("typesAndMore", { types, count: rest }) : types }),
      };
    }
    case "attention":
    case "very_late": {
      const worst = verdict.types[0]?.type;
      const told = verdict.types.slice(0, TYPES_NAMED).map(concernText).join(t("separator"));
      const rest = verdict.types.length - TYPES_NAMED;
      const title =
        verdict.kind === "very_late" && worst
          ? t("veryLate", {
              eventType: visibleText(worst.eventType),
              age: formatDuration(worst.oldestDueAgeMs, locale),
            })
          : t("attention", { count: verdict.types.length });
      return { look: verdict.kind, title, hint: rest > 0 ? t("typesAndMore", { types: told, count: rest }) : told };
    }
  }
}

/** What is wrong with one type, in a few words. */
function useConcernText(): (state: TypeState) => string {
  const t = useTranslations("verdict");
  const format = useFormatter();
  const locale = useLocale();
  return ({ type, concerns, failShare, rejected }) => {
    const age = formatDuration(type.oldestDueAgeMs, locale);
    const texts = concerns.map((concern) => {
      switch (concern) {
        case "failed":
          return t("isFailed", { number: format.number(type.failed) });
        case "late":
        case "very_late":
          return t("isLate", { age });
        case "recycled":
          return t("isRecycled", { number: format.number(type.recycled1h ?? 0) });
        case "rejected":
          return t("isRejected", { number: format.number(rejected) });
        case "failing":
          return t("isFailing", { share: format.number(failShare ?? 0, { style: "percent" }) });
      }
    });
    return t("typeConcerns", {
      eventType: visibleText(type.eventType),
      concerns: texts.join(t("concernSeparator")),
    });
  };
}
