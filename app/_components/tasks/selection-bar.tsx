"use client";

import { useTranslations } from "next-intl";
import { useMay } from "../account/asker.tsx";
import { useRefreshHold } from "../refresh.tsx";
import { BulkBar, type BulkScope } from "./bulk-bar.tsx";
import { SELECTED_MAX } from "./selection.ts";
import { isResettable, type ShownTask } from "./task-look.ts";

/** What is selected and what can be done with it, at the bottom, near the pointer. Nothing moves while it is shown. */
export function SelectionBar(props: {
  scope: BulkScope;
  /** The one selected task if it is on this page. */
  only: ShownTask | undefined;
  askReset: (task: ShownTask) => void;
}) {
  const { scope, only } = props;
  const t = useTranslations("tasks");
  const mayAct = useMay("tasks.act");
  useRefreshHold();
  return (
    <section
      aria-label={t("selection")}
      className="selection-bar sticky bottom-0 z-10 max-sm:bottom-12 flex min-h-11 flex-wrap items-center gap-x-3 gap-y-2 rounded-b-lg border-t border-line bg-card px-4 py-1.5 shadow-[0_-4px_12px_rgb(15_23_42/0.08)]"
    >
      <b role="status" className="font-semibold">
        {t("selected", { count: scope.ids.length })}
      </b>
      {scope.ids.length >= SELECTED_MAX && (
        <span className="text-xs text-warn">{t("selectedMax", { max: SELECTED_MAX })}</span>
      )}
      <button type="button" className="text-accent hover:underline" onClick={scope.clear}>
        {t("clearSelection")}
      </button>
      <span className="ms-auto flex flex-wrap items-center gap-2">
        {mayAct && scope.ids.length === 1 && only && isResettable(only) && (
          <button type="button" className="button button-primary min-h-8" onClick={() => props.askReset(only)}>
            {t("resetOne")}
          </button>
        )}
        <BulkBar {...scope} />
      </span>
    </section>
  );
}
