"use client";

import { useTranslations } from "next-intl";
import { type RefObject, useRef } from "react";
import { usePageKeys } from "./keys.tsx";

/** `f` leads to the first field of the filters that get this. */
export function useFilterKey<Filters extends HTMLElement>(): RefObject<Filters | null> {
  const t = useTranslations("keys");
  const filters = useRef<Filters>(null);
  const goThere = () => filters.current?.querySelector<HTMLElement>("input, select")?.focus();
  usePageKeys([{ key: "f", text: t("filter"), run: goThere }]);
  return filters;
}
