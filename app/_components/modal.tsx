"use client";

import { type ReactNode, useId } from "react";
import { useModalDialog } from "./use-modal-dialog.ts";

const PLACE = {
  middle: "m-auto max-h-[calc(100dvh-24px)] w-[min(480px,calc(100vw-24px))]",
  wide: "m-auto max-h-[calc(100dvh-24px)] w-[min(680px,calc(100vw-24px))]",
  side: "ms-auto me-0 my-0 h-dvh max-h-none w-[min(620px,100vw)] max-w-none rounded-none border-y-0 border-e-0",
} as const;

/**
 * A dialog above the page that its title names, in the middle or along its side. Escape closes it, the focus goes back to
 * where it was, and nothing below moves meanwhile. It is open while it is rendered.
 */
export function Modal(props: {
  title: string;
  /** The id of the text that says what it will do. */
  describedBy?: string;
  close: () => void;
  place?: keyof typeof PLACE;
  children: ReactNode;
}) {
  const titleId = useId();
  const dialog = useModalDialog(props.close);
  return (
    <dialog
      {...dialog}
      aria-labelledby={titleId}
      aria-describedby={props.describedBy}
      className={`card fixed overflow-auto text-ink shadow-2xl ${PLACE[props.place ?? "middle"]}`}
    >
      <div className="grid grid-cols-1 content-start gap-3 p-5">
        <h2 id={titleId} className="text-lg font-semibold wrap-anywhere">
          {props.title}
        </h2>
        {props.children}
      </div>
    </dialog>
  );
}
