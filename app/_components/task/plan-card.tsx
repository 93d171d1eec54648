"use client";

import { useTranslations } from "next-intl";
import { useEffect, useRef } from "react";
import type { AttemptItem } from "../../_server/list-attempts.ts";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { useStrategyName } from "../use-strategy-name.ts";
import { type PlanMark, planMarks } from "./plan-marks.ts";
import { TaskSection } from "./task-section.tsx";
import { useTimeTexts } from "./use-time-texts.ts";

const LOOK = {
  retried: "fill-(--chart-retried)",
  failed: "fill-failed-fill",
  recycled: "fill-[url(#recycled-hatch)] stroke-recycled",
  succeeded: "fill-succeeded",
  coming: "fill-card stroke-ink-3",
} as const satisfies Record<Exclude<PlanMark["look"], "now">, string>;

/** Attempts on record and those still to come on one time axis, and when the task gives up. */
export function PlanCard({ answer, entries }: { answer: TaskAnswer; entries: readonly AttemptItem[] }) {
  const { plan, task } = answer;
  const t = useTranslations("task");
  const texts = useTimeTexts();
  const strategyName = useStrategyName();
  const { marks, beyond } = planMarks(answer, entries);
  const seconds = (value: number) => texts.duration(value * 1_000);
  const rule = t("planRule", {
    strategy: strategyName(plan.strategy),
    first: seconds(plan.firstIntervalSeconds),
    cap: seconds(plan.capSeconds),
  });
  const strip = useRef<HTMLDivElement>(null);
  // Where the strip is wider than its room, what happened last is in view.
  const latest = marks.findLast(({ look }) => look !== "coming")?.place ?? 0;
  useEffect(() => {
    if (strip.current) strip.current.scrollLeft = latest * strip.current.scrollWidth - strip.current.clientWidth / 2;
  }, [latest]);
  const done = marks.filter(({ look }) => look !== "coming" && look !== "now").length;
  return (
    <TaskSection title={t("plan")} hint={plan.isApproximate ? `${rule} · ${t("planApproximate")}` : rule}>
      <div className="grid gap-1 px-4 py-3">
        {marks.length > 0 && (
          <>
            <div ref={strip} tabIndex={0} role="group" aria-label={t("plan")} className="overflow-x-auto">
              <PlanStrip marks={marks} />
            </div>
            <PlanLegend marks={marks} />
          </>
        )}
        <p className="sr-only">{t("planSummary", { done, coming: plan.coming.length })}</p>
        {beyond > 0 && <p className="text-xs text-ink-2">{t("planBeyond", { count: beyond })}</p>}
        <p className="text-xs text-ink-2">
          {plan.coming.length === 0
            ? task.status === "running"
              ? t("planLast")
              : t("planNone")
            : plan.lastAt === undefined
              ? t("planOpen")
              : t("planEnds", {
                  time: texts.instant(plan.lastAt),
                  duration: texts.duration(Math.max(0, Date.parse(plan.lastAt) - Date.parse(answer.asOf))),
                })}
        </p>
      </div>
    </TaskSection>
  );
}

/** What the marks mean that are on the strip. */
function PlanLegend({ marks }: { marks: readonly PlanMark[] }) {
  const t = useTranslations("task");
  const looks = (Object.keys(LOOK) as (keyof typeof LOOK)[]).filter((look) => marks.some((mark) => mark.look === look));
  return (
    <ul aria-label={t("planLegend")} className="flex flex-wrap gap-x-4 gap-y-0.5 text-xs text-ink-2">
      {looks.map((look) => (
        <li key={look} className="flex items-center gap-1.5">
          <svg viewBox="0 0 14 14" aria-hidden="true" className="size-3">
            <circle cx="7" cy="7" r="5.5" strokeWidth="1.5" className={LOOK[look]} />
          </svg>
          {t(`planLook_${look}`)}
        </li>
      ))}
    </ul>
  );
}

const WIDTH = 600;
const EDGE = 14;

function PlanStrip({ marks }: { marks: readonly PlanMark[] }) {
  const t = useTranslations("task");
  const texts = useTimeTexts();
  const x = (place: number) => EDGE + place * (WIDTH - 2 * EDGE);
  const nameOf = (look: PlanMark["look"], { attempt, at }: Pick<PlanMark, "attempt" | "at">) => {
    const time = texts.instant(at);
    if (look === "coming") return t("planComing", { n: attempt, time });
    return look === "recycled" ? t("planDoneRecycled", { time }) : t("planDone", { n: attempt, time });
  };
  return (
    <svg viewBox={`0 0 ${WIDTH} 50`} aria-hidden="true" className="h-auto w-full max-w-[900px] min-w-[520px]">
      <defs>
        <pattern id="recycled-hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="4" height="4" className="fill-recycled-tint" />
          <rect width="2" height="4" className="fill-recycled" />
        </pattern>
      </defs>
      <line x1={EDGE} x2={WIDTH - EDGE} y1="22" y2="22" className="stroke-line" strokeWidth="2" />
      {marks.map(({ look, ...mark }) =>
        look === "now" ? (
          <g key={mark.key}>
            <path d={`M${x(mark.place)} 10v26`} className="stroke-accent" strokeWidth="1.5" strokeDasharray="2 2" />
            <text x={x(mark.place)} y="47" textAnchor="middle" className="fill-accent text-[10px]">
              {t("planNow")}
            </text>
          </g>
        ) : (
          <g key={mark.key}>
            <circle cx={x(mark.place)} cy="22" r="5.5" strokeWidth="1.5" className={LOOK[look]}>
              <title>{nameOf(look, mark)}</title>
            </circle>
            {mark.isLabelled && (
              <text x={x(mark.place)} y="11" textAnchor="middle" className="fill-ink-2 text-[10px]">
                {mark.attempt}
              </text>
            )}
          </g>
        ),
      )}
    </svg>
  );
}
