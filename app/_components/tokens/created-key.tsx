"use client";

import { useTranslations } from "next-intl";
import { useEffect, useRef, useState } from "react";
import type { CreatedApiToken } from "../../_server/token-schema.ts";
import { Icon } from "../icons.tsx";
import { visibleText } from "../visible-text.ts";

/** The key of a new token; when this is closed nobody can see it again. */
export function CreatedKey(props: { created: CreatedApiToken; titleId: string; close: () => void }) {
  const { token, key } = props.created;
  const t = useTranslations("tokens");
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState<boolean>();
  useEffect(() => field.current?.select(), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(key);
      setCopied(true);
    } catch {
      // Without a secure origin there is no clipboard: the text is selected, to be copied by hand.
      field.current?.select();
      setCopied(false);
    }
  };
  return (
    <div className="grid gap-3 p-5">
      <h2 id={props.titleId} className="text-lg font-semibold">
        {t("createdTitle", { name: visibleText(token.name) })}
      </h2>
      <p className="flex items-start gap-2 rounded-md bg-warn-tint px-3 py-2 text-warn">
        <Icon name="warning" className="mt-[3px] size-3.5" />
        {t("shownOnce")}
      </p>
      <div className="flex gap-2">
        <input
          ref={field}
          readOnly
          aria-label={t("key")}
          value={key}
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
        <button type="button" className="button button-primary min-h-8" onClick={props.close}>
          {t("done")}
        </button>
      </div>
    </div>
  );
}
