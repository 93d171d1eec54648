"use client";

import { useTranslations } from "next-intl";
import { useMemo, useState } from "react";
import type { EventTypeName } from "../../_server/list-event-types.ts";
import { tasksHref } from "../dashboard/links.ts";
import type { IconName } from "../icons.tsx";
import { useNavPages } from "../nav-links.tsx";
import { useStillQuery } from "../use-still-query.ts";
import { visibleText } from "../visible-text.ts";
import { recentPlaces } from "./recent-places.ts";
import { searchAddress } from "./search-address.ts";

/** Somewhere one can go. */
export interface Goal {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  readonly note?: string | undefined;
}

export interface GoalGroup {
  readonly key: string;
  readonly label: string;
  readonly items: readonly Goal[];
}

const TYPES_MAX = 8;

/** Where a text may lead: to pages and event types of that name, to the task or the tasks that it finds; without a text to what was open last and to every page. */
export function useGoals(text: string): readonly GoalGroup[] {
  const t = useTranslations("palette");
  const page = useTranslations("pages");
  const pages = useNavPages();
  const types = useStillQuery<{ readonly eventTypes: readonly EventTypeName[] }>("/api/v1/event-types");
  const [recent] = useState(recentPlaces);
  const eventTypes = types.data?.eventTypes;
  return useMemo(() => {
    const wanted = text.trim();
    const isWanted = (name: string) => name.toLocaleLowerCase().includes(wanted.toLocaleLowerCase());
    const search = searchAddress(wanted);
    const shown = visibleText(wanted);
    const isTask = search !== undefined && !search.includes("?");
    const found: Goal[] =
      search === undefined
        ? []
        : [
            {
              path: search,
              name: isTask ? t("openTask", { id: search.split("/").at(-1) ?? "" }) : t("findTasks", { text: shown }),
              icon: isTask ? "list" : "search",
            },
          ];
    const places = recent.map((place): Goal => ({
      path: place.path,
      name: t(`${place.kind}`, { id: place.id }),
      icon: "clock",
    }));
    const named = pages.map(({ path, key, icon }): Goal => ({ path, name: page(`${key}`), icon }));
    const listed = (eventTypes ?? []).map(({ eventType, paused }): Goal => ({
      path: tasksHref({ state: "all", eventType }),
      name: visibleText(eventType),
      icon: "list",
      note: paused ? t("paused") : undefined,
    }));
    const pagesFound = { key: "pages", label: t("pages"), items: named.filter(({ name }) => isWanted(name)) };
    const typesFound = {
      key: "types",
      label: t("types"),
      items: listed.filter(({ name }) => isWanted(name)).slice(0, TYPES_MAX),
    };
    const tasksFound = { key: "tasks", label: t("tasks"), items: found };
    const lately = { key: "recent", label: t("recent"), items: places.filter(({ name }) => isWanted(name)) };
    // An id is meant as one; a name of a page or a type comes before a search for it.
    const groups = isTask ? [tasksFound, pagesFound, typesFound] : [lately, pagesFound, typesFound, tasksFound];
    return groups.filter(({ items }) => items.length > 0);
  }, [text, t, page, pages, recent, eventTypes]);
}
