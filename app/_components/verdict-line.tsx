"use client";

import { useFormatter, useTranslations } from "next-intl";
import type { Overview } from "../_server/count-tasks.ts";
import type { ApiError } from "./api-client.ts";
import { Icon, type IconName } from "./icons.tsx";
import { totalsOf, verdictOf, worstFirst } from "./overview-totals.ts";
import { visibleText } from "./visible-text.ts";

const TYPES_NAMED = 3;

const LOOK = {
  loading: { icon: "clock", colours: "text-ink-2", frame: "" },
  unknown: { icon: "warning", colours: "text-warn", frame: "bg-warn-tint border-warn/30" },
  calm: { icon: "check", colours: "text-succeeded", frame: "" },
  failed: { icon: "warning", colours: "text-warn", frame: "bg-warn-tint border-warn/30" },
  no_worker: { icon: "unplug", colours: "text-failed", frame: "bg-failed-tint border-failed/30" },
} as const satisfies Record<string, { icon: IconName; colours: string; frame: string }>;

/** The first thing to read: one sentence on whether anything needs a person, and one on what. */
export function VerdictLine({ overview, error }: { overview: Overview | undefined; error: ApiError | null }) {
  const verdict = error ? "unknown" : overview ? verdictOf(overview) : "loading";
  const { icon, colours, frame } = LOOK[verdict];
  const { title, hint } = useVerdictText(verdict, overview, error);
  return (
    <section className={`card flex flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-3 ${frame}`}>
      <h2 className={`flex items-center gap-2.5 text-lg font-semibold ${colours}`}>
        <Icon name={icon} className="size-5" />
        {title}
      </h2>
      {hint && <p className="min-w-0 wrap-anywhere text-ink-2">{hint}</p>}
    </section>
  );
}

function useVerdictText(
  verdict: keyof typeof LOOK,
  overview: Overview | undefined,
  error: ApiError | null,
): { title: string; hint?: string } {
  const t = useTranslations("verdict");
  const problem = useTranslations("problem");
  const format = useFormatter();
  if (error) {
    const why = problem(`${error.code}`);
    return { title: t("unknown"), hint: overview ? `${why} ${t("unknownOld")}` : why };
  }
  if (!overview) return { title: t("loading") };
  switch (verdict) {
    case "loading":
    case "unknown":
      return { title: t("unknown") };
    case "calm":
      return { title: t("calm"), hint: t("calmHint") };
    case "no_worker": {
      const count = totalsOf(overview).pending;
      return { title: t("noWorker"), hint: t("noWorkerHint", { count, number: format.number(count) }) };
    }
    case "failed": {
      const count = totalsOf(overview).failed;
      const names = worstFirst(overview.eventTypes)
        .filter(({ failed }) => failed > 0)
        .map(({ eventType }) => visibleText(eventType));
      const types = format.list(names.slice(0, TYPES_NAMED), { type: "conjunction" });
      const rest = names.length - TYPES_NAMED;
      return {
        title: t("failed", { count, number: format.number(count) }),
        hint: t("failedHint", { types: rest > 0 ? t("typesAndMore", { types, count: rest }) : types }),
      };
    }
  }
}
