"use client";

import { useFormatter, useLocale, useTranslations } from "next-intl";
import type { OrderFilter } from "../../_server/bulk-view.ts";
import { describeZone, formatInstant } from "../format-time.ts";
import { visibleText } from "../visible-text.ts";
import { useZone } from "../zone.tsx";

/** Names of event types that are written out; more are counted. */
const NAMES_MAX = 3;

/** A filter in words, one part of it after the other. */
export function useScopeWords(): (filter: OrderFilter) => readonly string[] {
  const t = useTranslations("bulkPanel");
  const format = useFormatter();
  const locale = useLocale();
  const { timeZone = "UTC" } = useZone();
  const archived = (archive: NonNullable<OrderFilter["archive"]>): (string | false | undefined)[] => {
    const { from, to, status, cause, bizKey, id, picked } = archive;
    const isFound = bizKey !== undefined || id !== undefined;
    const at = (instant: string) => formatInstant(new Date(instant), locale, timeZone);
    return [
      picked !== undefined && !isFound ? t("archivedPicked", { count: picked }) : t("archived"),
      from !== undefined &&
        to !== undefined &&
        t("archivedWithin", { from: at(from), to: `${at(to)} ${describeZone(timeZone, new Date(to))}` }),
      status !== undefined && t(`archived_${status}`),
      cause !== undefined && t("cause", { cause: visibleText(cause) }),
      bizKey !== undefined && t("bizKey", { key: visibleText(bizKey) }),
      id !== undefined && t("archivedId", { id }),
      archive.withSucceeded && t("withSucceeded"),
    ];
  };
  return (filter) => {
    const { eventTypes, cause, bizKey, bizKeyPrefix, ids, bulkId, minAttempts, errorText, worker } = filter;
    const words: (string | false | undefined)[] = [
      ...(filter.archive ? archived(filter.archive) : [t(`state_${filter.state}`)]),
      eventTypes !== undefined &&
        (eventTypes.length > NAMES_MAX
          ? t("typesMany", { count: format.number(eventTypes.length) })
          : t("types", { count: eventTypes.length, names: eventTypes.map(visibleText).join(", ") })),
      cause !== undefined && (cause === "none" ? t("noCause") : t("cause", { cause: visibleText(cause) })),
      bizKey !== undefined && t("bizKey", { key: visibleText(bizKey) }),
      bizKeyPrefix !== undefined && t("bizKeyPrefix", { key: visibleText(bizKeyPrefix) }),
      ids !== undefined && t("ids", { count: ids.length }),
      bulkId !== undefined && t("fromBulk", { id: bulkId }),
      minAttempts !== undefined && t("attempts", { count: minAttempts }),
      errorText !== undefined && t("errorText", { text: visibleText(errorText) }),
      worker !== undefined && t("worker", { name: visibleText(worker) }),
      filter.recycled === true && t("recycled"),
      filter.wasReset === true && t("wasReset"),
      filter.overdueSeconds !== undefined && t("overdue", { seconds: format.number(filter.overdueSeconds) }),
      filter.createdFrom !== undefined && t("createdFrom", { at: filter.createdFrom }),
      filter.createdTo !== undefined && t("createdTo", { at: filter.createdTo }),
    ];
    return words.filter((word) => typeof word === "string");
  };
}
