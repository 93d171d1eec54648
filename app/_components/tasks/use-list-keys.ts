"use client";

import { useTranslations } from "next-intl";
import { useEffect, useEffectEvent } from "react";
import { usePageKeys } from "../keys/keys.tsx";

export interface ListKeys {
  readonly select: (id: string, isRange: boolean) => void;
  readonly clearSelection: () => void;
  /** Undefined: the person may reset none. */
  readonly reset: ((id: string) => void) | undefined;
  /** A task is open beside the list; its own keys come first. */
  readonly isOpen: boolean;
  /** Opens the neighbour of the open task. */
  readonly step: (by: 1 | -1) => void;
  readonly close: () => void;
}

const TYPING = "input:not([type=checkbox]), textarea, select, [contenteditable], dialog, [role=menu], [role=dialog]";

/**
 * The keys of the list: j and k move to the next and previous row, or open the next and previous task beside the list, x
 * selects (with shift from the last one on), r asks for a reset, Escape closes the open task, else takes the selection
 * back. Enter opens: the focus is on the row's own link.
 */
export function useListKeys(keys: ListKeys): void {
  const t = useTranslations("keys");
  const { isOpen, reset } = keys;
  const go = (by: 1 | -1) => (isOpen ? keys.step(by) : moveFocus(by));
  const act = (run: (id: string) => void) => {
    const id = focusedTask();
    if (id === undefined) return false;
    run(id);
    return true;
  };
  usePageKeys([
    { key: "j", text: isOpen ? t("nextTask") : t("nextRow"), run: () => go(1) },
    { key: "k", text: isOpen ? t("previousTask") : t("previousRow"), run: () => go(-1) },
    { key: "x", text: t("select"), run: () => act((id) => keys.select(id, false)) },
    { key: "X", shown: ["Shift", "X"], text: t("selectRange"), run: () => act((id) => keys.select(id, true)) },
    ...(reset === undefined
      ? []
      : [{ key: "r", text: isOpen ? undefined : t("reset"), run: () => !isOpen && act(reset) }]),
  ]);

  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    if (event.target instanceof Element && event.target.closest(TYPING)) return;
    if (document.querySelector("dialog[open], [role=menu], [role=dialog]")) return;
    if (isOpen) keys.close();
    else keys.clearSelection();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onEscape(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
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
