"use client";

import { useLocale } from "next-intl";
import { useMemo } from "react";
import type { DashboardSeries } from "../../_server/dashboard/read-series.ts";
import { useZone } from "../zone.tsx";

const LOCALES: Record<string, string> = { en: "en-GB", "zh-CN": "zh-CN" };

/** When a bucket begins, as the axis and the table of a range write it: the time of day, with the date over a week. */
export function useBucketText(range: DashboardSeries["range"]): (at: string) => string {
  const locale = useLocale();
  const { timeZone = "UTC" } = useZone();
  return useMemo(() => {
    const format = new Intl.DateTimeFormat(LOCALES[locale] ?? locale, {
      timeZone,
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      ...(range === "7d" ? { day: "2-digit", month: locale === "zh-CN" ? "2-digit" : "short" } : {}),
    });
    return (at) => (at === "" ? "" : format.format(new Date(at)));
  }, [locale, timeZone, range]);
}
