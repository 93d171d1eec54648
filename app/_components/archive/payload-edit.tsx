"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import { visibleText } from "../visible-text.ts";
import { diffLines } from "./diff-lines.ts";
import { indentJson } from "./indent-json.ts";

const LOOK = {
  same: "text-ink-3",
  removed: "bg-failed-tint text-failed",
  added: "bg-succeeded-tint text-succeeded",
} as const;
const SIGN = { same: " ", removed: "−", added: "+" } as const;

/** An editor for a payload with what it changes below. */
export function PayloadEdit(props: {
  archived: string;
  hasMasks: boolean;
  value: string;
  change: (value: string) => void;
}) {
  const { archived, value } = props;
  const t = useTranslations("replay");
  const ids = { editor: useId(), hint: useId() };
  const isValid = isJson(value);
  const lines = isValid ? diffLines(indentJson(archived), indentJson(value)) : [];
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
      {isValid && lines === undefined && <p className="text-ink-3">{t("tooLong")}</p>}
      {isValid && lines?.length === 0 && <p className="text-ink-3">{t("unchanged")}</p>}
      {lines !== undefined && lines.length > 0 && (
        <div
          role="region"
          aria-label={t("diff")}
          tabIndex={0}
          className="max-h-40 overflow-auto rounded-md border border-line font-mono text-xs leading-5"
        >
          {lines.map(({ kind, text }, at) => (
            // The place of a line is all that tells it from an equal one.
            <div key={at} className={`flex px-2 whitespace-pre-wrap ${LOOK[kind]}`}>
              <span aria-hidden="true" className="w-4 shrink-0">
                {SIGN[kind]}
              </span>
              {kind !== "same" && <span className="sr-only">{t(`${kind}`)} </span>}
              <span className="min-w-0 wrap-anywhere">{visibleText(text)}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

/** Only whether it can be read: the text itself is what is sent, so that no number is rounded. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
