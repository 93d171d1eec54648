"use client";

import { useEffect } from "react";
import { TAB_ICONS } from "./tab-icons.ts";
import { markedTitle, type TabMark } from "./tab-mark.ts";

/** Shows a mark in the browser's tab, on whichever page: the framework writes the title of each one without it. */
export function useTabMark({ level, text }: TabMark): void {
  useEffect(() => {
    const write = () => {
      const title = markedTitle(document.title, text);
      if (document.title !== title) document.title = title;
      for (const link of document.head.querySelectorAll<HTMLLinkElement>('link[rel="icon"]')) {
        link.dataset["calm"] ??= link.getAttribute("href") ?? "";
        const href = TAB_ICONS[level] ?? link.dataset["calm"];
        if (link.getAttribute("href") !== href) link.setAttribute("href", href);
      }
    };
    write();
    const observer = new MutationObserver(write);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [level, text]);
}
