"use client";

import { useLocale, useTranslations } from "next-intl";
import type { ReactNode } from "react";
import type { Overview } from "../_server/count-tasks.ts";
import { formatDuration } from "./format-time.ts";
import { useCountText } from "./number-text.tsx";
import { totalsOf } from "./overview-totals.ts";

/** The five numbers over all event types. Zero is grey; only what needs a person is filled. */
export function CountTiles({ overview, isUnknown }: { overview: Overview | undefined; isUnknown: boolean }) {
  const t = useTranslations("tiles");
  const locale = useLocale();
  const count = useCountText();
  const totals = overview && totalsOf(overview);
  const workers = overview?.workers;
  const lost = workers ? workers.registered - workers.alive : 0;
  return (
    <dl aria-label={t("label")} className="grid grid-cols-2 gap-3 md:grid-cols-5">
      <Tile
        isUnknown={isUnknown}
        label={t("pending")}
        value={totals && count(totals.pending, totals.isCapped.pending)}
        tone={totals?.pending ? "plain" : "calm"}
      >
        {totals?.oldestDueAgeMs
          ? t("pendingOldest", { age: formatDuration(totals.oldestDueAgeMs, locale) })
          : t("pendingNoneDue")}
      </Tile>
      <Tile
        isUnknown={isUnknown}
        label={t("running")}
        value={totals && count(totals.running, totals.isCapped.running)}
        tone={totals?.running ? "plain" : "calm"}
      >
        {t("runningHint")}
      </Tile>
      <Tile
        isUnknown={isUnknown}
        label={t("failed")}
        value={totals && count(totals.failed, totals.isCapped.failed)}
        tone={totals?.failed ? "bad" : "calm"}
      >
        {totals?.failed ? t("failedHint") : t("failedNone")}
      </Tile>
      <Tile
        isUnknown={isUnknown}
        label={t("recycled")}
        value={totals && count(totals.recycled24h)}
        tone={totals?.recycled24h ? "odd" : "calm"}
      >
        {totals?.recycled24h ? t("recycledHint") : t("recycledNone")}
      </Tile>
      <Tile
        isUnknown={isUnknown}
        label={t("workers")}
        value={workers && count(workers.alive)}
        tone={workers?.alive === 0 ? "bad" : "plain"}
      >
        {workers?.alive === 0 ? t("workersNone") : lost > 0 ? t("workersLost", { count: lost }) : t("workersAll")}
      </Tile>
    </dl>
  );
}

const TONES = {
  plain: { card: "", value: "font-semibold", note: "text-ink-3" },
  calm: { card: "", value: "font-medium text-ink-3", note: "text-ink-3" },
  odd: { card: "", value: "font-semibold text-recycled", note: "text-ink-3" },
  bad: { card: "border-failed-fill bg-failed-fill text-on-failed", value: "font-semibold", note: "" },
} as const;

function Tile(props: {
  label: string;
  value: string | undefined;
  isUnknown: boolean;
  tone: keyof typeof TONES;
  children: ReactNode;
}) {
  const { card, value, note } = TONES[props.value === undefined ? "calm" : props.tone];
  return (
    <div className={`card grid content-start gap-0.5 px-3.5 py-3 max-md:last:col-span-2 ${card}`}>
      <dt className={`truncate text-xs ${card === "" ? "text-ink-2" : ""}`}>{props.label}</dt>
      <dd className={`text-tile tracking-tight ${value}`}>
        {props.value ?? (props.isUnknown ? "–" : <TileSkeleton />)}
      </dd>
      <dd className={`text-xs ${note}`}>{props.value === undefined ? "\u00a0" : props.children}</dd>
    </div>
  );
}

function TileSkeleton() {
  return (
    <span aria-hidden="true" className="skeleton w-16">
      0
    </span>
  );
}
