"use client";

import type { ReactNode } from "react";
import type { MaskedRange } from "../../_server/redact.ts";
import { visibleLines } from "./visible-lines.ts";
import { Chip } from "./json-tree.tsx";

const MATCHES_MAX = 500;

/** Where a text occurs in another, whatever its case; at most 500 places. */
export function findMatches(text: string, sought: string): readonly MaskedRange[] {
  if (sought === "") return [];
  const [all, one] = [text.toLowerCase(), sought.toLowerCase()];
  // A character whose lower case is longer would shift every place behind it.
  const [where, what] = all.length === text.length ? [all, one] : [text, sought];
  const found: MaskedRange[] = [];
  for (
    let at = where.indexOf(what);
    at !== -1 && found.length < MATCHES_MAX;
    at = where.indexOf(what, at + what.length)
  ) {
    found.push([at, at + what.length]);
  }
  return found;
}

/** Text as it is stored, its masks as chips and what is searched for marked. */
export function RawText(props: { text: string; masked: readonly MaskedRange[]; matches: readonly MaskedRange[] }) {
  const { text, masked, matches } = props;
  const marks = [
    ...masked.map(([start, end]) => ({ start, end, isMask: true })),
    ...matches.map(([start, end]) => ({ start, end, isMask: false })),
  ].sort((one, other) => one.start - other.start);
  const parts: ReactNode[] = [];
  let from = 0;
  for (const { start, end, isMask } of marks) {
    if (start < from) continue;
    parts.push(visibleLines(text.slice(from, start)));
    const marked = text.slice(start, end);
    parts.push(
      isMask ? (
        <Chip key={start} text={marked} />
      ) : (
        <mark key={start} className="rounded bg-warn-tint text-warn outline outline-warn/40">
          {visibleLines(marked)}
        </mark>
      ),
    );
    from = end;
  }
  parts.push(visibleLines(text.slice(from)));
  return (
    <pre dir="auto" className="whitespace-pre-wrap wrap-anywhere">
      {parts}
    </pre>
  );
}
