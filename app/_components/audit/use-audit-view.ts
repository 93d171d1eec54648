"use client";

import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";

const RESULTS = ["ok", "denied", "failed"] as const;

const FILTERS = {
  actor: parseAsString,
  action: parseAsString,
  objectKind: parseAsString,
  objectId: parseAsString,
  eventType: parseAsString,
  result: parseAsStringLiteral(RESULTS),
  correlation: parseAsString,
  from: parseAsString,
  to: parseAsString,
};

type Filters = { readonly [Name in keyof typeof FILTERS]: string | null };

export type AuditFilterName = keyof Filters;

/** What of the audit log the page shows. It lives in the address, so that a view can be sent to a colleague. */
export interface AuditView {
  readonly filters: Filters;
  readonly cursor: string | null;
  /** The entry that is open beside the list. */
  readonly entry: string | null;
  readonly isFiltered: boolean;
  /** Changes filters; the others stay, and the list begins at the newest again. */
  readonly filter: (changes: Partial<Filters>) => void;
  readonly clear: () => void;
  readonly turn: (cursor: string | null) => void;
  readonly open: (entry: string | null) => void;
}

export function useAuditView(): AuditView {
  const [{ cursor, entry, ...filters }, set] = useQueryStates(
    { ...FILTERS, cursor: parseAsString, entry: parseAsString },
    { history: "push" },
  );
  const filter = (changes: Partial<Filters>) => {
    const result = RESULTS.find((known) => known === changes.result) ?? null;
    void set({
      ...changes,
      ...("result" in changes ? { result } : { result: filters.result }),
      cursor: null,
      entry: null,
    });
  };
  return {
    filters,
    cursor,
    entry,
    isFiltered: Object.values(filters).some((value) => value !== null),
    filter,
    clear: () => void set(null),
    turn: (next) => void set({ cursor: next }),
    open: (next) => void set({ entry: next }),
  };
}

/** The query of the API that goes with these filters, without a question mark. */
export function auditQuery(filters: Filters, cursor: string | null = null): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...filters, cursor })) {
    if (value !== null && value !== "") params.set(name, value);
  }
  return params.toString();
}
