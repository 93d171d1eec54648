"use client";

import { type RefObject, useEffect, useRef } from "react";

/**
 * Another page begins at its first row, however far down the one before was read. `page` names the rows that are shown;
 * undefined while they are still those of the page before.
 */
export function useFirstRowInView(frame: RefObject<HTMLElement | null>, page: string | undefined): void {
  const shown = useRef(page);
  useEffect(() => {
    if (page === undefined || page === shown.current) return;
    shown.current = page;
    frame.current?.scrollTo({ top: 0 });
    // On a small window the rows scroll with the page.
    if (frame.current && frame.current.getBoundingClientRect().top < 0) frame.current.scrollIntoView();
  }, [frame, page]);
}
