"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { useEngineError } from "../use-engine-error.ts";
import { visibleText } from "../visible-text.ts";
import { errorParts, isOwnFrame } from "./error-parts.ts";

/** A stored error: message in full, its stack folded away. */
export function ErrorText({ text }: { text: string }) {
  const t = useTranslations("attempt");
  const [isOwnOnly, setOwnOnly] = useState(false);
  const { name, headline, rest, frames } = errorParts(useEngineError()(text));
  const message = name === undefined ? headline : headline.slice(name.length);
  const shown = isOwnOnly ? frames.filter(isOwnFrame) : frames;
  return (
    <div dir="auto" className="mt-1 min-w-0 rounded-md bg-soft px-2.5 py-1.5 font-mono text-xs">
      <p className="max-h-40 overflow-auto wrap-anywhere">
        {name !== undefined && <span className="font-semibold text-failed">{visibleText(name)}</span>}
        {visibleText(message)}
      </p>
      {rest !== "" && (
        <div className="max-h-40 overflow-auto text-ink-2 wrap-anywhere">
          {rest.split("\n").map((line, index) => (
            <p key={index}>{visibleText(line)}</p>
          ))}
        </div>
      )}
      {frames.length > 0 && (
        <details className="mt-1">
          <summary className="w-fit text-ink-2 hover:text-ink">{t("trace", { count: frames.length })}</summary>
          <label className="my-1 flex w-fit items-center gap-1.5 font-sans">
            <input type="checkbox" checked={isOwnOnly} onChange={({ target }) => setOwnOnly(target.checked)} />
            {t("ownFrames")}
          </label>
          <ol className="max-h-60 overflow-auto">
            {shown.map((frame, index) => (
              <li key={index} className={`wrap-anywhere ${isOwnFrame(frame) ? "" : "text-ink-2"}`}>
                {visibleText(frame)}
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}
