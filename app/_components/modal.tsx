"use client";

import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { useRefreshHold } from "./refresh.tsx";

/**
 * A dialog above the page that its title names. Escape closes it, the focus goes back to where it was, and nothing below
 * moves meanwhile. It is open while it is rendered.
 */
export function Modal(props: {
  title: string;
  /** The id of the text that says what it will do. */
  describedBy?: string;
  close: () => void;
  isWide?: boolean;
  children: ReactNode;
}) {
  const { title, close, isWide, children } = props;
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useRefreshHold();
  // Closed before it leaves the document: only then does the browser give the focus back to where it was.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      aria-describedby={props.describedBy}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      className={`card fixed m-auto max-h-[calc(100dvh-24px)] overflow-auto text-ink shadow-2xl ${
        isWide ? "w-[min(680px,calc(100vw-24px))]" : "w-[min(480px,calc(100vw-24px))]"
      }`}
    >
      <div className="grid gap-3 p-5">
        <h2 id={titleId} className="text-lg font-semibold wrap-anywhere">
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}
