"use client";

import { useFormatter, useLocale, useTranslations } from "next-intl";
import type { Overview } from "../../_server/count-tasks.ts";
import type { DashboardTrends } from "../../_server/dashboard/read-trends.ts";
import type { ApiError } from "../api-client.ts";
import { formatDuration } from "../format-time.ts";
import type { IconName } from "../icons.tsx";
import { visibleText } from "../visible-text.ts";
import { totalsOf } from "./overview-totals.ts";
import { type TypeState, verdictOf } from "./verdict.ts";

const TYPES_NAMED = 3;

/** How a verdict looks: its icon tells it apart where colour does not. */
export const VERDICT_LOOK = {
  loading: { icon: "clock", colours: "text-ink-2", frame: "" },
  unknown: { icon: "warning", colours: "text-warn", frame: "bg-warn-tint border-warn/30" },
  calm: { icon: "check", colours: "text-succeeded", frame: "" },
  failed: { icon: "warning", colours: "text-warn", frame: "bg-warn-tint border-warn/30" },
  attention: { icon: "warning", colours: "text-warn", frame: "bg-warn-tint border-warn/30" },
  very_late: { icon: "clock", colours: "text-failed", frame: "bg-failed-tint border-failed/30" },
  no_worker: { icon: "unplug", colours: "text-failed", frame: "bg-failed-tint border-failed/30" },
} as const satisfies Record<string, { icon: IconName; colours: string; frame: string }>;

export interface VerdictText {
  readonly look: keyof typeof VERDICT_LOOK;
  readonly title: string;
  readonly hint?: string | undefined;
}

/** What is to be said of all that is known: one sentence, and one on what is meant by it. */
export function useVerdictText(props: {
  readonly overview: Overview | undefined;
  readonly trends: DashboardTrends | undefined;
  readonly error: ApiError | null;
}): VerdictText {
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
