"use client";

import { type ReactNode, useLayoutEffect, useRef } from "react";
import { useRefreshHold } from "../refresh.tsx";

/** A dialog above the page; Escape asks to close it, and the focus then goes back to where it was. */
export function Modal(props: { labelledBy: string; describedBy?: string; close: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useRefreshHold();
  // Closed before it leaves the document: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={props.labelledBy}
      aria-describedby={props.describedBy}
      onCancel={(event) => {
        event.preventDefault();
        props.close();
      }}
      className="card fixed m-auto w-[min(520px,calc(100vw-24px))] overflow-y-auto text-ink shadow-2xl"
    >
      {props.children}
    </dialog>
  );
}
