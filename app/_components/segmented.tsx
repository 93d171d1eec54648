"use client";

import type { ReactNode } from "react";

interface Segment<Value extends string> {
  readonly value: Value;
  readonly name?: string;
  readonly lang?: string;
  readonly content: ReactNode;
}

/** A row of buttons of which one is pressed. */
export function Segmented<Value extends string>(props: {
  label: string;
  value: Value;
  segments: readonly Segment<Value>[];
  choose: (value: Value) => void;
}) {
  return (
    <div role="group" aria-label={props.label} className="flex rounded-md border border-line p-px">
      {props.segments.map(({ value, name, lang, content }) => (
        <button
          key={value}
          type="button"
          lang={lang}
          aria-label={name}
          title={name}
          aria-pressed={value === props.value}
          onClick={() => props.choose(value)}
          className="grid h-6 min-w-6 place-items-center rounded-[5px] px-1.5 text-xs text-ink-2 hover:text-ink aria-pressed:bg-soft aria-pressed:font-medium aria-pressed:text-ink"
        >
          {content}
        </button>
      ))}
    </div>
  );
}
