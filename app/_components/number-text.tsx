"use client";

import { useFormatter, useTranslations } from "next-intl";

/** How a count is written: grouped, and with a plus sign if counting stopped at its limit. */
export function useCountText(): (count: number, isCapped?: boolean) => string {
  const t = useTranslations("tiles");
  const format = useFormatter();
  return (count, isCapped = false) => {
    const number = format.number(count);
    return isCapped ? t("atLeast", { number }) : number;
  };
}
