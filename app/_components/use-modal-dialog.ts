"use client";

import { type RefObject, type SyntheticEvent, useLayoutEffect, useRef } from "react";
import { useRefreshHold } from "./refresh.tsx";

/**
 * What a `<dialog>` needs to stand above the page for as long as it is rendered: Escape asks to close it, the focus goes
 * back to where it was, and nothing below moves meanwhile.
 */
export function useModalDialog(close: () => void): {
  readonly ref: RefObject<HTMLDialogElement | null>;
  readonly onCancel: (event: SyntheticEvent) => void;
} {
  const ref = useRef<HTMLDialogElement>(null);
  useRefreshHold();
  // Closed before it leaves the document: only then does the browser give the focus back to where it was.
  useLayoutEffect(() => {
    const shown = ref.current;
    // The item of a menu that asked for the dialog goes with its menu; the button of the menu stays.
    const menu = document.activeElement?.closest("[role=menu]");
    const opener = menu && document.getElementById(menu.getAttribute("aria-labelledby") ?? "");
    shown?.showModal();
    return () => {
      shown?.close();
      if (document.activeElement === document.body || shown?.contains(document.activeElement)) opener?.focus();
    };
  }, []);
  return {
    ref,
    onCancel: (event) => {
      event.preventDefault();
      close();
    },
  };
}
