"use client";

import { useEffect, useRef } from "react";

export interface ListKeys {
  readonly select: (id: string, isRange: boolean) => void;
  readonly clearSelection: () => void;
  readonly reset: (id: string) => void;
  readonly pause: () => void;
  /** A task is open beside the list; its own keys come first. */
  readonly isOpen: boolean;
  /** Opens the neighbour of the open task. */
  readonly step: (by: 1 | -1) => void;
  readonly close: () => void;
}

const TYPING = "input:not([type=checkbox]), textarea, select, [contenteditable], dialog, [role=menu], [role=dialog]";

/**
 * The keys of the list: j and k move to the next and previous row, or open the next and previous task beside the list, x selects (with shift from the last one on), r asks
 * for a reset, p pauses the refresh, Escape closes the open task, else takes the selection back. Enter opens: the focus is on the row's own link.
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
      if (!keys.isOpen) return moveFocus(1);
      keys.step(1);
      return true;
    case "k":
      if (!keys.isOpen) return moveFocus(-1);
      keys.step(-1);
      return true;
    case "x":
    case "X": {
      const id = focusedTask();
      if (id !== undefined) keys.select(id, isRange);
      return id !== undefined;
    }
    case "r": {
      if (keys.isOpen) return false;
      const id = focusedTask();
      if (id !== undefined) keys.reset(id);
      return id !== undefined;
    }
    case "p":
      keys.pause();
      return true;
    case "Escape":
      if (keys.isOpen) keys.close();
      else keys.clearSelection();
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
