"use client";

import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { formatJson } from "../../_json/format-json.ts";
import { isJson as isJsonText } from "../../_json/scan-json.ts";
import { visibleText } from "../visible-text.ts";
import { type DiffLine, lineDiff } from "./line-diff.ts";

const CONTEXT = 2;

/** What an edit changes, line by line; JSON is laid out alike on both sides first, so that layout is no difference. */
export function PayloadDiff({ before, after, isJson }: { before: string; after: string; isJson: boolean }) {
  const t = useTranslations("payload");
  const lines = useMemo(() => {
    const lay = (text: string) => (isJson && isJsonText(text) ? formatJson(text) : text);
    return withoutFarLines(lineDiff(lay(before), lay(after)));
  }, [before, after, isJson]);
  const isChanged = lines.some((line) => line.kind === "removed" || line.kind === "added");
  return (
    <div className="min-w-0">
      <p className="text-ink-2">{t("diff")}</p>
      {!isChanged ? (
        <p className="text-xs text-ink-3">{t("diffNone")}</p>
      ) : (
        <div
          tabIndex={0}
          role="group"
          aria-label={t("diffCaption")}
          className="max-h-56 overflow-auto rounded-md border border-line"
        >
          <table className="w-full font-mono text-xs leading-5">
            <caption className="sr-only">{t("diffCaption")}</caption>
            <tbody>
              {lines.map((line, index) =>
                line.kind === "skipped" ? (
                  <tr key={index} className="bg-soft text-ink-2">
                    <td />
                    <td className="px-2 font-sans">{t("diffSkipped", { count: line.count })}</td>
                  </tr>
                ) : (
                  <tr key={index} className={ROW[line.kind]}>
                    <td className="w-6 text-center">
                      {line.kind !== "same" && (
                        <>
                          <span aria-hidden="true">{line.kind === "added" ? "+" : "−"}</span>
                          <span className="sr-only">{line.kind === "added" ? t("diffAdded") : t("diffRemoved")}</span>
                        </>
                      )}
                    </td>
                    <td dir="auto" className="px-2 whitespace-pre-wrap wrap-anywhere">
                      {visibleText(line.text)}
                    </td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

const ROW = {
  same: "text-ink-2",
  removed: "bg-failed-tint text-failed",
  added: "bg-succeeded-tint text-succeeded",
} as const;

type Shown = DiffLine | { readonly kind: "skipped"; readonly count: number };

/** Unchanged lines that are far from any change become their number. */
function withoutFarLines(lines: readonly DiffLine[]): readonly Shown[] {
  const isNear = new Uint8Array(lines.length);
  lines.forEach(({ kind }, index) => {
    if (kind !== "same") isNear.fill(1, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
  });
  const shown: Shown[] = [];
  lines.forEach((line, index) => {
    const last = shown.at(-1);
    if (isNear[index] === 1) shown.push(line);
    else if (last?.kind === "skipped") shown[shown.length - 1] = { kind: "skipped", count: last.count + 1 };
    else shown.push({ kind: "skipped", count: 1 });
  });
  return shown;
}
