"use client";

import { Check, Copy } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";

const SHOWN_MS = 1_500;

/** Copies a text as it is stored; shown when its row is pointed at or it has the focus. */
export function CopyButton({ text, name }: { text: string; name: string }) {
  const t = useTranslations("tasks");
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
      tabIndex={-1}
      aria-label={isCopied ? t("copied") : t("copy", { name })}
      title={isCopied ? t("copied") : t("copy", { name })}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
      className="copy-button absolute end-0 grid size-6 place-items-center rounded text-ink-3 hover:bg-soft hover:text-ink"
    >
      <Shape aria-hidden="true" className={`size-3.5 ${isCopied ? "text-succeeded" : ""}`} />
    </button>
  );
}
