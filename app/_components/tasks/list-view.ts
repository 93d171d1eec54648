"use client";

import { parseAsString, useQueryStates } from "nuqs";
import { useCallback, useMemo } from "react";
import type { TaskFilter } from "../../_server/task-filter.ts";

/** The states that a list can be narrowed to, in the order of the tabs. */
export const STATES = [
  ...(["all", "due", "scheduled", "running", "retrying", "failed", "stuck", "succeeded", "cancelled"] as const),
];
export type ListState = (typeof STATES)[number];

/** The words of a filter, the same in the page's address and in the API's. */
export const FILTER_WORDS = [
  ...(["eventType", "bizKey", "bizKeyPrefix", "ids", "cause", "errorText", "worker"] as const),
  ...(["minAttempts", "recycled", "wasReset", "bulkId", "overdueSeconds", "createdFrom", "createdTo"] as const),
  /** A search for this page of rows alone: no count, no file and no bulk action knows it. */
  "payload" as const,
];
/** Without these there is no search within payloads. */
const PAYLOAD_NEEDS = ["eventType", "createdFrom", "createdTo"] as const;
export type FilterWord = (typeof FILTER_WORDS)[number];
export type FilterWords = Partial<Record<FilterWord, string>>;

export const PAGE_SIZES = ["50", "100", "200"] as const;

const word = parseAsString;
const PARSERS = {
  state: word.withDefault("all"),
  ...(Object.fromEntries(FILTER_WORDS.map((name) => [name, word])) as Record<FilterWord, typeof word>),
  sort: word,
  cursor: word,
  at: word,
  task: word,
  limit: word.withDefault("50"),
  columns: word,
};

/** Everything of a list that its address holds. */
export interface ListView {
  readonly state: ListState;
  readonly filter: FilterWords;
  readonly sort: string | undefined;
  readonly cursor: string | undefined;
  /** The instant at which the page begins, if no cursor says where. */
  readonly at: string | undefined;
  /** The task that is open beside the list. */
  readonly task: string | undefined;
  readonly limit: string;
  readonly columns: string | undefined;
}

export interface ListViewControl {
  readonly view: ListView;
  /** Goes to other filters, a state, an order or a page size, from their first page on; null takes a part away. */
  readonly change: (parts: Partial<Record<FilterWord | "state" | "sort" | "limit", string | null>>) => void;
  /** Takes away every filter but the state. */
  readonly clear: () => void;
  readonly goTo: (cursor: string | undefined) => void;
  /** Goes to the tasks of an instant. */
  readonly jump: (at: string) => void;
  /** Opens a task beside the list, another in its place, or none. */
  readonly show: (task: string | null) => void;
  readonly chooseColumns: (columns: string | null) => void;
  /** Goes to a whole view by the search part of its address. */
  readonly open: (query: string) => void;
}

const NO_FILTER = Object.fromEntries(FILTER_WORDS.map((name) => [name, null])) as Record<FilterWord, null>;

/** The view that the address names. Each step to another can be taken back with the browser's button. */
export function useListView(): ListViewControl {
  const [values, setValues] = useQueryStates(PARSERS, { history: "push", scroll: false });
  const hasTask = values.task !== null;
  const change = useCallback<ListViewControl["change"]>(
    (parts) => {
      const isBare = PAYLOAD_NEEDS.some((name) => parts[name] === null);
      void setValues({ ...(isBare && { payload: null }), ...parts, cursor: null, at: null, task: null });
    },
    [setValues],
  );
  return {
    view: useMemo(() => viewOf(values), [values]),
    change,
    clear: useCallback(() => change(NO_FILTER), [change]),
    goTo: useCallback((cursor) => void setValues({ cursor: cursor ?? null, at: null }), [setValues]),
    jump: useCallback((at) => void setValues({ at, cursor: null }), [setValues]),
    show: useCallback(
      (task) => void setValues({ task }, { history: hasTask && task !== null ? "replace" : "push" }),
      [setValues, hasTask],
    ),
    chooseColumns: useCallback((columns) => void setValues({ columns }, { history: "replace" }), [setValues]),
    open: useCallback(
      (query) => {
        const words = new URLSearchParams(query);
        const names = Object.keys(PARSERS) as (keyof typeof PARSERS)[];
        void setValues(Object.fromEntries(names.map((name) => [name, words.get(name)])));
      },
      [setValues],
    ),
  };
}

function viewOf(values: Record<keyof typeof PARSERS, string | null>): ListView {
  const set = FILTER_WORDS.flatMap((name) => (values[name] ? [[name, values[name]] as const] : []));
  return {
    state: STATES.find((state) => state === values.state) ?? "all",
    filter: Object.fromEntries(set),
    sort: values.sort ?? undefined,
    cursor: values.cursor ?? undefined,
    at: values.at ?? undefined,
    task: values.task && /^[1-9][0-9]{0,18}$/.test(values.task) ? values.task : undefined,
    limit: PAGE_SIZES.find((size) => size === values.limit) ?? "50",
    columns: values.columns ?? undefined,
  };
}

/** A filter as the API takes it; what is left out is its default. */
export function filterQuery({ state, filter }: Pick<ListView, "state" | "filter">): URLSearchParams {
  return new URLSearchParams({ ...(state === "all" ? {} : { state }), ...filter });
}

/** The filter without a search within payloads: what is counted, taken as a file and acted on. */
export function countedView(view: Pick<ListView, "state" | "filter">): Pick<ListView, "state" | "filter"> {
  const { payload: _, ...filter } = view.filter;
  return { state: view.state, filter };
}

/** The API path of the page that a view shows. */
export function pagePath(view: ListView): string {
  const words = filterQuery(view);
  if (view.sort) words.set("sort", view.sort);
  if (view.limit !== "50") words.set("limit", view.limit);
  if (view.cursor) words.set("cursor", view.cursor);
  else if (view.at) words.set("at", view.at);
  const query = words.toString();
  return `/api/v1/tasks${query && `?${query}`}`;
}

/** The search part of a view's address without its place in the list: what a saved view keeps. */
export function savedQuery(view: ListView): string {
  const words = filterQuery(view);
  if (view.sort) words.set("sort", view.sort);
  if (view.columns) words.set("columns", view.columns);
  return words.toString();
}

/** A list within a word, as the API reads it. */
export function joinWords(words: readonly string[]): string | null {
  return words.length === 0 ? null : words.map((one) => one.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");
}

export function splitWords(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .filter(Boolean)
    .map((one) => {
      try {
        return decodeURIComponent(one);
      } catch {
        return one;
      }
    });
}

/** A filter as JSON, the form in which bulk actions take it. */
export type JsonFilter = Omit<TaskFilter, "createdFrom" | "createdTo"> & {
  readonly createdFrom?: string;
  readonly createdTo?: string;
};

/** The filter of a view as JSON; the server checks it as it checks the words. */
export function jsonFilter({ state, filter }: Pick<ListView, "state" | "filter">): JsonFilter {
  const { eventType, ids, minAttempts, recycled, wasReset, overdueSeconds, payload: _, ...texts } = filter;
  return {
    state,
    ...texts,
    ...(eventType !== undefined && { eventTypes: splitWords(eventType) }),
    ...(ids !== undefined && { ids: splitWords(ids) }),
    ...(minAttempts !== undefined && { minAttempts: Number(minAttempts) }),
    ...(overdueSeconds !== undefined && { overdueSeconds: Number(overdueSeconds) }),
    ...(recycled !== undefined && { recycled: true }),
    ...(wasReset !== undefined && { wasReset: true }),
  };
}
