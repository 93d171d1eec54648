"use client";

import { useTranslations } from "next-intl";
import { useRef } from "react";
import type { ArchivedItem, ArchiveListAnswer } from "../../_server/browse-archive.ts";
import type { Selection } from "../tasks/selection.ts";
import { visibleText } from "../visible-text.ts";
import { selectionKey } from "./archive-targets.ts";

/** Which rows are picked, for who may act on them. */
export interface Picking {
  readonly selection: Selection;
  readonly pick: (item: ArchivedItem, isRange: boolean) => void;
  readonly pickPage: () => void;
}

/** Picks all rows of the page, or none of them. */
export function PageCheckbox({ page, picking }: { page: ArchiveListAnswer; picking: Picking }) {
  const t = useTranslations("bulkReplay");
  const picked = page.items.filter((item) => picking.selection.ids.has(selectionKey(item))).length;
  const isAll = picked > 0 && picked === page.items.length;
  return (
    <input
      type="checkbox"
      aria-label={t("selectPage")}
      checked={isAll}
      ref={(box) => {
        if (box) box.indeterminate = picked > 0 && !isAll;
      }}
      onChange={picking.pickPage}
      className="size-4 accent-accent"
    />
  );
}

/** Picks one row; with Shift all from the last one on. */
export function RowCheckbox({ item, picking }: { item: ArchivedItem; picking: Picking }) {
  const t = useTranslations("bulkReplay");
  const isRange = useRef(false);
  return (
    <input
      type="checkbox"
      aria-label={t("selectTask", { bizKey: visibleText(item.bizKey) })}
      checked={picking.selection.ids.has(selectionKey(item))}
      onClick={(event) => (isRange.current = event.shiftKey)}
      onChange={() => {
        picking.pick(item, isRange.current);
        isRange.current = false;
      }}
      className="size-4 accent-accent"
    />
  );
}
