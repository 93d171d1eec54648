"use client";

import { parseAsArrayOf, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";

/** Rows of one page. */
export const PAGE_ROWS = 50;

export const FINAL_STATES = ["succeeded", "failed", "cancelled"] as const;

const PARSERS = {
  from: parseAsString,
  to: parseAsString,
  type: parseAsArrayOf(parseAsString),
  state: parseAsStringLiteral(FINAL_STATES),
  key: parseAsString,
  cause: parseAsString,
  id: parseAsString,
  cursor: parseAsString,
};

/** What the page shows of the archive. It lives in the address, so that a view can be sent to a colleague. */
export interface ArchiveView {
  readonly from: string | null;
  readonly to: string | null;
  readonly type: string[] | null;
  readonly state: (typeof FINAL_STATES)[number] | null;
  readonly key: string | null;
  readonly cause: string | null;
  readonly id: string | null;
  readonly cursor: string | null;
}

/** A change of any filter begins at the newest row again. */
export type ShowArchive = (change: Partial<ArchiveView>) => void;

export function useArchiveView(): readonly [ArchiveView, ShowArchive] {
  const [view, setView] = useQueryStates(PARSERS, { history: "push" });
  return [view, (change) => void setView({ cursor: null, ...change })];
}

/** The filters of a view as the words of the API. */
export function archiveQuery(view: ArchiveView, more: Readonly<Record<string, string>> = {}): string {
  const words: Readonly<Record<string, string | null | undefined>> = {
    from: view.from,
    to: view.to,
    eventType: view.type?.map(encodeURIComponent).join(","),
    state: view.state,
    bizKey: view.key,
    cause: view.cause,
    id: view.id,
    ...more,
  };
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(words)) if (value) params.set(name, value);
  return params.size === 0 ? "" : `?${params.toString()}`;
}

/** The address of the page that shows a filter alone. */
export function archivePageOf(filter: {
  readonly key?: string | undefined;
  readonly cause?: string | undefined;
}): string {
  return `/archive?${new URLSearchParams(Object.entries(filter)).toString()}`;
}

/** The address of one archived task; with the time of its move, for an id may have been handed out again. */
export function archivedTaskPage(task: { readonly id: string; readonly archivedAt: string }): string {
  return `/archive/${task.id}?${new URLSearchParams({ archivedAt: task.archivedAt }).toString()}`;
}
