"use client";

import { useTranslations } from "next-intl";
import dynamic from "next/dynamic";
import { useState } from "react";
import { SELECTED_MAX, type Selection } from "../tasks/selection.ts";
import { pickedOf, type ReplayTargets } from "./archive-targets.ts";

// Loaded when first asked for.
const BulkReplayPanel = dynamic(() => import("./bulk-replay-panel.tsx").then((part) => part.BulkReplayPanel), {
  ssr: false,
});

/** The press that opens the order of a replay. */
export function BulkReplayButton(props: {
  targets: ReplayTargets;
  text: string;
  isPrimary?: boolean;
  onOrdered?: () => void;
}) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <button
        type="button"
        className={`button ${props.isPrimary ? "button-primary min-h-8" : ""}`}
        onClick={() => setAsked(true)}
      >
        {props.text}
      </button>
      {isAsked && <BulkReplayPanel targets={props.targets} close={() => setAsked(false)} onOrdered={props.onOrdered} />}
    </>
  );
}

/** What is selected, at the bottom, near the pointer, and its replay. */
export function ArchiveSelectionBar({ selection, clear }: { selection: Selection; clear: () => void }) {
  const t = useTranslations("bulkReplay");
  const count = selection.ids.size;
  return (
    <section
      aria-label={t("selection")}
      className="card sticky bottom-0 z-10 flex min-h-11 flex-wrap items-center gap-x-3 gap-y-2 px-4 py-1.5 shadow-[0_-4px_12px_rgb(15_23_42/0.08)]"
    >
      <b role="status" className="font-semibold">
        {t("selected", { count })}
      </b>
      {count >= SELECTED_MAX && <span className="text-xs text-warn">{t("selectedMax", { max: SELECTED_MAX })}</span>}
      <button type="button" className="text-accent hover:underline" onClick={clear}>
        {t("clear")}
      </button>
      <span className="ms-auto">
        <BulkReplayButton
          isPrimary
          targets={{ picked: [...selection.ids].map(pickedOf) }}
          text={t("replaySelected", { count })}
          onOrdered={clear}
        />
      </span>
    </section>
  );
}
