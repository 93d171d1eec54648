"use client";

import { type ReactNode, useId, useState } from "react";

/** A labelled field of one line; `hint` stands below it and is read out with it. */
export function TextField(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  autoComplete: string;
  isPassword?: boolean;
  autoFocus?: boolean;
  hint?: ReactNode;
  maxLength?: number;
  /** Said below a password while capital letters are locked. */
  capsLockHint?: string;
}) {
  const id = useId();
  const hintId = useId();
  const [isCapsLocked, setCapsLocked] = useState(false);
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-ink-2">
        {props.label}
      </label>
      <input
        id={id}
        type={props.isPassword ? "password" : "text"}
        value={props.value}
        required
        autoComplete={props.autoComplete}
        autoCapitalize="none"
        spellCheck={false}
        autoFocus={props.autoFocus}
        maxLength={props.maxLength ?? 256}
        aria-describedby={hintId}
        onChange={({ target }) => props.onChange(target.value)}
        onKeyUp={(event) => setCapsLocked(event.getModifierState("CapsLock"))}
        onBlur={() => setCapsLocked(false)}
        className="min-h-9 w-full rounded-md border border-line bg-page px-2.5 py-1.5 text-base"
      />
      <div id={hintId} className="text-xs text-ink-3">
        {props.hint}
        {props.isPassword && (
          <p role="status" className="font-medium text-warn">
            {isCapsLocked ? props.capsLockHint : ""}
          </p>
        )}
      </div>
    </div>
  );
}
