"use client";

import { useEffect, useRef } from "react";

export interface ListKeys {
  readonly select: (id: string, isRange: boolean) => void;
  readonly clearSelection: () => void;
  readonly reset: (id: string) => void;
  readonly pause: () => void;
}

const TYPING = "input:not([type=checkbox]), textarea, select, [contenteditable], dialog, [role=menu], [role=dialog]";

/**
 * The keys of the list: j and k move to the next and previous row, x selects (with shift from the last one on), r asks
 * for a reset, p pauses the refresh, Escape takes the selection back. Enter opens: the focus is on the row's own link.
 */
export function useListKeys(keys: ListKeys): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest(TYPING)) return;
      if (document.querySelector("dialog[open], [role=menu], [role=dialog]")) return;
      if (act(event.key, event.shiftKey, current.current)) event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

function act(key: string, isRange: boolean, keys: ListKeys): boolean {
  switch (key) {
    case "j":
      return moveFocus(1);
    case "k":
      return moveFocus(-1);
    case "x":
    case "X": {
      const id = focusedTask();
      if (id !== undefined) keys.select(id, isRange);
      return id !== undefined;
    }
    case "r": {
      const id = focusedTask();
      if (id !== undefined) keys.reset(id);
      return id !== undefined;
    }
    case "p":
      keys.pause();
      return true;
    case "Escape":
      keys.clearSelection();
      return false;
    default:
      return false;
  }
}

function focusedTask(): string | undefined {
  return document.activeElement?.closest<HTMLElement>("tr[data-task]")?.dataset["task"];
}

function moveFocus(step: number): boolean {
  const links = [...document.querySelectorAll<HTMLElement>("[data-row-link]")];
  const id = focusedTask();
  const at = links.findIndex((link) => link.dataset["rowLink"] === id);
  const next = at === -1 ? (step > 0 ? links[0] : links.at(-1)) : links[at + step];
  next?.focus();
  next?.closest("tr")?.scrollIntoView({ block: "nearest" });
  return links.length > 0;
}
