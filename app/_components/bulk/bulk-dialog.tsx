"use client";

import { type ReactNode, useId } from "react";
import { Modal } from "../modal.tsx";

/** A dialog that says first what it is about; `isPanel`: beside the list rather than above it. */
export function BulkDialog(props: {
  title: string;
  text: string;
  isPanel?: boolean;
  close: () => void;
  children: ReactNode;
}) {
  const textId = useId();
  return (
    <Modal title={props.title} describedBy={textId} close={props.close} place={props.isPanel ? "side" : "middle"}>
      <p id={textId} className="text-ink-2">
        {props.text}
      </p>
      {props.children}
    </Modal>
  );
}
