"use client";

import { useTranslations } from "next-intl";
import { useEffect, useRef } from "react";
import type { TaskCounts } from "../../_server/count-task-states.ts";
import { useCountText } from "../number-text.tsx";
import { type ListState, STATES } from "./list-view.ts";

/** One tab per state. Their counts come later and by themselves; a tab whose count took too long goes without. The chosen one is in view. */
export function StateTabs(props: {
  current: ListState;
  counts: TaskCounts | undefined;
  choose: (state: ListState) => void;
}) {
  const t = useTranslations("tasks");
  const states = useTranslations("taskState");
  const text = useCountText();
  const row = useRef<HTMLDivElement>(null);
  const hasCounts = props.counts !== undefined;
  useEffect(() => {
    const tab = row.current?.querySelector<HTMLElement>("[aria-pressed=true]");
    if (row.current && tab) row.current.scrollLeft = tab.offsetLeft - (row.current.clientWidth - tab.offsetWidth) / 2;
  }, [props.current, hasCounts]);
  return (
    <div
      ref={row}
      role="group"
      aria-label={t("states")}
      className="relative flex overflow-x-auto border-b border-line px-2"
    >
      {STATES.map((state) => {
        const counted = props.counts?.counts[state];
        const isBad = (state === "failed" || state === "stuck") && (counted?.count ?? 0) > 0;
        return (
          <button
            key={state}
            type="button"
            aria-pressed={state === props.current}
            onClick={() => props.choose(state)}
            className="-mb-px flex min-h-10 shrink-0 items-center gap-1.5 border-b-2 border-transparent px-2.5 whitespace-nowrap text-ink-2 hover:text-ink aria-pressed:border-accent aria-pressed:font-medium aria-pressed:text-ink"
          >
            {states(`${state}`)}
            <span
              className={`min-w-4 rounded px-1 text-center text-xs leading-[18px] ${isBad ? "bg-failed-tint font-medium text-failed" : "text-ink-3"}`}
              title={counted === null ? t("countTooSlow") : undefined}
            >
              {counted ? text(counted.count, counted.atLeast) : counted === null ? "?" : ""}
            </span>
          </button>
        );
      })}
    </div>
  );
}
