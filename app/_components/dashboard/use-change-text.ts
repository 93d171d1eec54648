"use client";

import { useFormatter, useLocale, useTranslations } from "next-intl";
import type { DashboardTrends } from "../../_server/dashboard/read-trends.ts";
import type { Spark } from "../../_server/dashboard/trends.ts";
import { formatDuration } from "../format-time.ts";

/** How a number differs from an hour ago and from the same time yesterday; what is not known is left out. */
export function useChangeText(
  trends: DashboardTrends | undefined,
): (name: Spark, value: number | undefined) => readonly string[] {
  const t = useTranslations("tiles");
  const format = useFormatter();
  const locale = useLocale();
  const signed = (name: Spark, difference: number) => {
    if (difference === 0) return "±0";
    const size = Math.abs(difference);
    const text = name === "oldestDueAgeMs" ? formatDuration(size, locale) : format.number(size);
    return `${difference > 0 ? "+" : "−"}${text}`;
  };
  return (name, value) => {
    if (!trends || value === undefined) return [];
    const { [name]: hour } = trends.hourAgo;
    const { [name]: day } = trends.dayAgo;
    return [
      ...(hour === null ? [] : [t("changeHour", { change: signed(name, value - hour) })]),
      ...(day === null ? [] : [t("changeDay", { change: signed(name, value - day) })]),
    ];
  };
}
