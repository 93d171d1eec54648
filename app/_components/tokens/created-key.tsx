"use client";

import { useTranslations } from "next-intl";
import { useEffect, useRef, useState } from "react";
import { copyText } from "../copy-text.ts";
import { Icon } from "../icons.tsx";

/** The key of a new token; when this is closed nobody can see it again. */
export function CreatedKey({ secret, close }: { secret: string; close: () => void }) {
  const t = useTranslations("tokens");
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState<boolean>();
  useEffect(() => field.current?.select(), []);
  const copy = async () => {
    const isCopied = await copyText(secret);
    // Selected, to be copied by hand.
    if (!isCopied) field.current?.select();
    setCopied(isCopied);
  };
  return (
    <>
      <p className="flex items-start gap-2 rounded-md bg-warn-tint px-3 py-2 text-warn">
        <Icon name="warning" className="mt-[3px] size-3.5" />
        {t("shownOnce")}
      </p>
      <div className="flex gap-2">
        <input
          ref={field}
          readOnly
          aria-label={t("key")}
          value={secret}
          className="min-h-8 min-w-0 flex-1 rounded-md border border-line bg-page px-2.5 font-mono text-xs"
        />
        <button type="button" className="button min-h-8" onClick={() => void copy()}>
          {t("copy")}
        </button>
      </div>
      <p role="status" className="min-h-5 text-xs text-ink-2">
        {copied === true && t("copied")}
        {copied === false && t("copyByHand")}
      </p>
      <div className="flex justify-end">
        <button type="button" className="button button-primary min-h-8" onClick={close}>
          {t("done")}
        </button>
      </div>
    </>
  );
}
