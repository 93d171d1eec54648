"use client";

import { useTranslations } from "next-intl";
import { useMemo, useState } from "react";
import { hasDuplicates, jsonTree } from "../../_json/json-tree.ts";
import type { PayloadAnswer } from "../../_server/read-payload.ts";
import { Segmented } from "../segmented.tsx";
import { CopyButton } from "../copy-button.tsx";
import { JsonTree } from "./json-tree.tsx";
import { findMatches, RawText } from "./raw-text.tsx";

/** Larger texts are shown raw only: a tree of a hundred thousand lines helps nobody and freezes the page. */
const TREE_BYTES_MAX = 64 * 1024;

/** A payload that may be shown, as a tree or as it is stored, with a search. Copying copies what is seen. */
export function PayloadView({ payload, text }: { payload: PayloadAnswer; text: string }) {
  const t = useTranslations("payload");
  const hasTree = payload.isJson && payload.bytes <= TREE_BYTES_MAX;
  const [view, setView] = useState<"tree" | "raw">(hasTree ? "tree" : "raw");
  const [sought, setSought] = useState("");
  const tree = useMemo(() => (hasTree ? jsonTree(text) : undefined), [hasTree, text]);
  const matches = useMemo(() => findMatches(text, sought), [text, sought]);
  return (
    <div className="min-w-0">
      <div className="flex flex-wrap items-center gap-2 px-4 pt-2">
        {hasTree && (
          <Segmented<"tree" | "raw">
            label={t("view")}
            value={view}
            choose={setView}
            segments={[
              { value: "tree", content: t("tree") },
              { value: "raw", content: t("raw") },
            ]}
          />
        )}
        <input
          type="search"
          aria-label={t("search")}
          placeholder={t("search")}
          value={sought}
          onChange={({ target }) => {
            setSought(target.value);
            // The tree is folded: only the raw text shows every match.
            if (target.value !== "") setView("raw");
          }}
          className="min-w-0 flex-1 rounded-md border border-line bg-page px-2 py-0.5"
        />
        <span role="status" className="text-xs text-ink-3">
          {sought === "" ? "" : t("matches", { count: matches.length })}
        </span>
        <CopyButton text={text} label={t("copy")} done={t("copied")} />
      </div>
      <p className="flex flex-wrap gap-x-3 px-4 pt-1 text-xs text-ink-3">
        {payload.isRevealed && <span className="font-medium text-warn">{t("revealed")}</span>}
        {payload.masked.length > 0 && <span>{t("masked", { count: payload.masked.length })}</span>}
        {!payload.isJson && <span className="text-warn">{t("notJson")}</span>}
      </p>
      {tree && hasDuplicates(tree) && <p className="px-4 pt-1 text-xs text-warn">{t("duplicates")}</p>}
      <div
        tabIndex={0}
        role="group"
        aria-label={t("title")}
        className="max-h-[480px] overflow-auto px-4 py-2 font-mono text-xs leading-5"
      >
        {view === "tree" && tree ? (
          <JsonTree node={tree} masked={payload.masked} />
        ) : (
          <RawText text={text} masked={payload.masked} matches={matches} />
        )}
      </div>
    </div>
  );
}
