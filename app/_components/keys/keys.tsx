"use client";

import { createContext, type ReactNode, type RefObject, use, useEffect, useEffectEvent, useRef, useState } from "react";
import { KEYS_COOKIE, type KeysChoice } from "../../_preferences/choices.ts";
import { rememberPreference } from "../../_preferences/remember-preference.ts";

/** A letter or sign that does something while it stands for no text. */
export interface PageKey {
  /** As the keyboard names it; `g t`: one after the other. */
  readonly key: string;
  /** What it does, in a few words; a key without is not listed. */
  readonly text?: string | undefined;
  /** How it is shown, if not as it is named. */
  readonly shown?: readonly string[];
  /** It belongs to the console, not to what the page shows. */
  readonly isEverywhere?: true;
  /** False: there was nothing to do, and whoever else has the key may act on it. */
  readonly run: () => unknown;
}

interface Keys {
  readonly isOn: boolean;
  readonly choose: (choice: KeysChoice) => void;
  readonly add: (keys: RefObject<readonly PageKey[]>) => () => void;
  /** All that act at this moment. */
  readonly all: () => readonly PageKey[];
}

const KeysContext = createContext<Keys>({
  isOn: false,
  choose: () => undefined,
  add: () => () => undefined,
  all: () => [],
});

const SEQUENCE_MS = 1_500;

/**
 * The one listener for single keys: what is shown says which there are, what was shown last comes first. Nobody's key
 * acts where it is text, below a dialog or a menu, together with Ctrl, Alt or ⌘, or when the person has turned them off.
 */
export function KeysProvider({ initial, children }: { initial: KeysChoice; children: ReactNode }) {
  const [choice, setChoice] = useState(initial);
  const groups = useRef(new Set<RefObject<readonly PageKey[]>>());
  const goPressedAtMs = useRef(Number.NEGATIVE_INFINITY);
  const [stable] = useState(() => ({
    add: (keys: RefObject<readonly PageKey[]>) => {
      groups.current.add(keys);
      return () => void groups.current.delete(keys);
    },
    all: () => [...groups.current].reverse().flatMap(({ current }) => current),
    choose: (next: KeysChoice) => {
      rememberPreference(KEYS_COOKIE, next);
      setChoice(next);
    },
  }));

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (choice === "off" || isTaken(event.target)) return;
    const isGoing = performance.now() - goPressedAtMs.current < SEQUENCE_MS;
    goPressedAtMs.current = event.key === "g" && !isGoing ? performance.now() : Number.NEGATIVE_INFINITY;
    const pressed = isGoing ? `g ${event.key}` : event.key;
    const isDone = stable.all().some(({ key, run }) => key === pressed && run() !== false);
    if (isDone) event.preventDefault();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);

  return <KeysContext value={{ ...stable, isOn: choice === "on" }}>{children}</KeysContext>;
}

export function useKeys(): Keys {
  return use(KeysContext);
}

/** These keys act, and stand in the list of keys, while the component that calls this is shown. */
export function usePageKeys(keys: readonly PageKey[]): void {
  const { add } = useKeys();
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => add(latest), [add]);
}

const TYPING =
  "input:not([type=checkbox]), textarea, select, [contenteditable], [role=listbox], [role=combobox], [role=grid]";

/** Where letters are text, or choose something. */
function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open], [role=menu], [role=dialog]")) return true;
  return target instanceof Element && target.closest(TYPING) !== null;
}
