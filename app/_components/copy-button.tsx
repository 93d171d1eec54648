"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { copyText } from "./copy-text.ts";

const SHOWN_MS = 2_000;

/** Puts a text on the clipboard as it is stored, and says so for a moment. */
export function CopyButton(props: {
  text: string;
  label: string;
  done: string;
  className?: string;
  /** Left out of the order of the keyboard where a menu beside it copies, too. */
  tabIndex?: number;
}) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const Shape = isCopied ? Check : Copy;
  return (
    <button
      type="button"
      tabIndex={props.tabIndex}
      onClick={() => void copyText(props.text).then(setCopied)}
      aria-label={props.label}
      title={isCopied ? props.done : props.label}
      className={`grid size-6 place-items-center rounded text-ink-3 hover:bg-soft hover:text-ink ${props.className ?? ""}`}
    >
      <Shape aria-hidden="true" className={`size-3.5 ${isCopied ? "text-succeeded" : ""}`} />
      <span role="status" className="sr-only">
        {isCopied ? props.done : ""}
      </span>
    </button>
  );
}
