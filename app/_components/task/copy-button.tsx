"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";

/** Puts a text on the clipboard and says so for a moment. */
export function CopyButton(props: { text: string; label: string; done: string; isWord?: boolean }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    // Without a secure context there is no clipboard; the text can still be selected.
    void navigator.clipboard?.writeText(props.text).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  const Shape = isCopied ? Check : Copy;
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={props.isWord ? undefined : props.label}
      title={props.label}
      className={
        props.isWord ? "button" : "grid size-6 place-items-center rounded text-ink-3 hover:bg-soft hover:text-ink"
      }
    >
      <Shape aria-hidden="true" className="size-3.5" />
      {props.isWord && props.label}
      <span role="status" className="sr-only">
        {isCopied ? props.done : ""}
      </span>
    </button>
  );
}
