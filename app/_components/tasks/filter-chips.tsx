"use client";

import { useLocale, useTranslations } from "next-intl";
import { describeZone, formatInstant } from "../format-time.ts";
import { Icon } from "../icons.tsx";
import { visibleText } from "../visible-text.ts";
import { useZone } from "../zone.tsx";
import { FILTER_WORDS, type FilterWord, type FilterWords, splitWords } from "./list-view.ts";
import { formatShort } from "../format-time.ts";

/** The filters that are on, each with the way to take it off. */
export function FilterChips(props: { filter: FilterWords; remove: (word: FilterWord) => void; clear: () => void }) {
  const t = useTranslations("tasks");
  const describe = useFilterText();
  const on = FILTER_WORDS.flatMap((word) => {
    const value = props.filter[word];
    return value === undefined ? [] : [{ word, ...describe(word, value) }];
  });
  if (on.length === 0) return null;
  return (
    <ul aria-label={t("filtersOn")} className="order-last flex w-full flex-wrap items-center gap-2">
      {on.map(({ word, name, value }) => (
        <li
          key={word}
          className="inline-flex min-h-6 max-w-full items-center gap-1.5 rounded-md border border-line bg-soft ps-2 text-xs"
        >
          <span className="text-ink-2">{name}</span>
          <b title={value} className="max-w-60 truncate font-medium">
            {value}
          </b>
          <button
            type="button"
            aria-label={t("removeFilter", { name })}
            onClick={() => props.remove(word)}
            className="grid size-6 place-items-center rounded text-ink-3 hover:text-ink"
          >
            <Icon name="close" className="size-2.5" />
          </button>
        </li>
      ))}
      {on.length > 1 && (
        <li>
          <button type="button" className="px-1 text-xs text-accent hover:underline" onClick={props.clear}>
            {t("clearFilters")}
          </button>
        </li>
      )}
    </ul>
  );
}

/** A filter in words. */
function useFilterText(): (word: FilterWord, value: string) => { readonly name: string; readonly value: string } {
  const words = useTranslations("taskFilter");
  const locale = useLocale();
  const { timeZone = "UTC" } = useZone();
  return (word, value) => {
    const name = words(`${word}`);
    switch (word) {
      case "eventType":
        return { name, value: splitWords(value).map(visibleText).join(", ") };
      case "ids": {
        const ids = splitWords(value);
        return {
          name,
          value: ids.length > 3 ? words("manyIds", { count: ids.length }) : ids.map(visibleText).join(", "),
        };
      }
      case "bizKeyPrefix":
        return { name, value: `${visibleText(value)}…` };
      case "minAttempts":
        return { name, value: `≥ ${visibleText(value)}` };
      case "bulkId":
        return { name, value: `#${visibleText(value)}` };
      case "recycled":
      case "wasReset":
        return { name, value: words("yes") };
      case "overdueSeconds":
        return { name, value: `> ${formatShort(Number(value) * 1_000 || 0, locale)}` };
      case "createdFrom":
      case "createdTo": {
        const instant = new Date(value);
        if (Number.isNaN(instant.getTime())) return { name, value: visibleText(value) };
        return { name, value: `${formatInstant(instant, locale, timeZone)} ${describeZone(timeZone, instant)}` };
      }
      case "bizKey":
      case "cause":
      case "errorText":
      case "worker":
      case "payload":
        return { name, value: visibleText(value) };
    }
  };
}
