"use client";

import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { useRefreshHold } from "../refresh.tsx";

/** A dialog with a name and a description. Escape closes it; the focus goes back to where it was. */
export function BulkDialog(props: {
  title: string;
  text: string;
  isPanel?: boolean;
  close: () => void;
  children: ReactNode;
}) {
  const ids = { title: useId(), text: useId() };
  const dialog = useRef<HTMLDialogElement>(null);
  useRefreshHold();
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  const place = props.isPanel
    ? "ms-auto me-0 my-0 h-dvh max-h-none w-[min(620px,100vw)] max-w-none rounded-none border-y-0 border-e-0"
    : "m-auto w-[min(480px,calc(100vw-24px))]";
  return (
    <dialog
      ref={dialog}
      aria-labelledby={ids.title}
      aria-describedby={ids.text}
      onCancel={(event) => {
        event.preventDefault();
        props.close();
      }}
      className={`card fixed overflow-hidden text-ink shadow-2xl ${place}`}
    >
      <div className={`grid grid-cols-1 gap-3 p-5 ${props.isPanel ? "max-h-dvh content-start overflow-y-auto" : ""}`}>
        <h2 id={ids.title} className="text-lg font-semibold">
          {props.title}
        </h2>
        <p id={ids.text} className="text-ink-2">
          {props.text}
        </p>
        {props.children}
      </div>
    </dialog>
  );
}
