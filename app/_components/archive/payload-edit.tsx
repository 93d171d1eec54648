"use client";

import { useTranslations } from "next-intl";
import { useDeferredValue, useId } from "react";
import { isJson } from "../../_json/scan-json.ts";
import { PayloadDiff } from "../task/payload-diff.tsx";

/** An editor for another payload, with what it changes below. */
export function PayloadEdit(props: {
  archived: string;
  hasMasks: boolean;
  value: string;
  change: (value: string) => void;
}) {
  const { archived, value } = props;
  const t = useTranslations("replay");
  const ids = { editor: useId(), hint: useId() };
  const checked = useDeferredValue(value);
  const isValid = isJson(checked);
  return (
    <div className="grid min-w-0 gap-1">
      <label htmlFor={ids.editor} className="text-ink-2">
        {t("editor")}
      </label>
      <textarea
        id={ids.editor}
        rows={8}
        spellCheck={false}
        value={value}
        aria-invalid={!isValid}
        aria-describedby={ids.hint}
        onChange={({ target }) => props.change(target.value)}
        className="resize-y rounded-md border border-line bg-page px-2.5 py-1.5 font-mono text-xs leading-5"
      />
      <p id={ids.hint} className="text-xs text-ink-3">
        {!isValid ? <span className="text-warn">{t("invalid")}</span> : props.hasMasks ? t("masked") : null}
      </p>
      {isValid && <PayloadDiff before={archived} after={checked} isJson />}
    </div>
  );
}
