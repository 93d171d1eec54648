"use client";

import { useTranslations } from "next-intl";
import { SELECTED_MAX, type Selection } from "../tasks/selection.ts";
import { type PickedTask, pickedOf } from "./archive-targets.ts";

/** What is selected, at the bottom, near the pointer, and its replay. */
export function ArchiveSelectionBar(props: {
  selection: Selection;
  clear: () => void;
  replay: (picked: readonly PickedTask[]) => void;
}) {
  const { selection, clear } = props;
  const t = useTranslations("bulkReplay");
  const count = selection.ids.size;
  return (
    <section
      aria-label={t("selection")}
      className="selection-bar card sticky bottom-0 z-10 flex max-sm:bottom-12 min-h-11 flex-wrap items-center gap-x-3 gap-y-2 px-4 py-1.5 shadow-[0_-4px_12px_rgb(15_23_42/0.08)]"
    >
      <b role="status" className="font-semibold">
        {t("selected", { count })}
      </b>
      {count >= SELECTED_MAX && <span className="text-xs text-warn">{t("selectedMax", { max: SELECTED_MAX })}</span>}
      <button type="button" className="text-accent hover:underline" onClick={clear}>
        {t("clear")}
      </button>
      <button
        type="button"
        className="button button-primary ms-auto min-h-8"
        onClick={() => props.replay([...selection.ids].map(pickedOf))}
      >
        {t("replaySelected", { count })}
      </button>
    </section>
  );
}
