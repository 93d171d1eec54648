"use client";

import { useTranslations } from "next-intl";
import type { RetryStrategy } from "../../db/event-type-settings.ts";
import { visibleText } from "./visible-text.ts";

/** What a retry strategy is called; one that this version does not know is named as it is stored. */
export function useStrategyName(): (strategy: string) => string {
  const t = useTranslations("strategy");
  return (strategy) =>
    /^[A-Z]+$/.test(strategy) && t.has(strategy as RetryStrategy)
      ? t(`${strategy as RetryStrategy}`)
      : visibleText(strategy);
}
