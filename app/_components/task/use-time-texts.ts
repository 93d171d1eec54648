"use client";

import { useLocale } from "next-intl";
import { formatDuration, formatInstant, spaceNumbers } from "../format-time.ts";
import { useZone } from "../zone.tsx";

export interface TimeTexts {
  readonly instant: (at: string) => string;
  /** As the tooltip has it: in UTC. */
  readonly utc: (at: string) => string;
  readonly duration: (ms: number) => string;
}

/** How instants and durations are written in sentences. Durations under ten seconds keep their milliseconds. */
export function useTimeTexts(): TimeTexts {
  const locale = useLocale();
  const { timeZone = "UTC" } = useZone();
  return {
    instant: (at) => formatInstant(new Date(at), locale, timeZone),
    utc: (at) => `${new Date(at).toISOString()} UTC`,
    duration: (ms) => {
      if (ms >= 10_000) return formatDuration(ms, locale);
      const unit = ms < 1_000 ? "millisecond" : "second";
      const value = ms < 1_000 ? Math.max(0, Math.round(ms)) : ms / 1_000;
      const style = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 2 } as const;
      return spaceNumbers(new Intl.NumberFormat(locale, style).format(value));
    },
  };
}
