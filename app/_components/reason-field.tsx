"use client";

import { type KeyboardEvent, useId } from "react";

const REASON_CHARACTERS_MAX = 500;

/** Why somebody does what a dialog asks about. It takes the focus; Ctrl or ⌘ and Enter submits where that is offered. */
export function ReasonField(props: {
  label: string;
  hint: string;
  value: string;
  change: (reason: string) => void;
  submit?: (event: KeyboardEvent) => void;
}) {
  const ids = { reason: useId(), hint: useId() };
  return (
    <div className="grid gap-1">
      <label htmlFor={ids.reason} className="text-ink-2">
        {props.label}
      </label>
      <textarea
        id={ids.reason}
        aria-describedby={ids.hint}
        autoFocus
        rows={2}
        maxLength={REASON_CHARACTERS_MAX}
        value={props.value}
        onChange={({ target }) => props.change(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) props.submit?.(event);
        }}
        className="resize-y rounded-md border border-line bg-page px-2.5 py-1.5"
      />
      <p id={ids.hint} className="text-xs text-ink-3">
        {props.hint}
      </p>
    </div>
  );
}
