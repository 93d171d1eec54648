"use client";

import { useFormatter, useLocale, useTranslations } from "next-intl";
import { type SubmitEvent, useId } from "react";
import type { TaskPage } from "../../_server/list-tasks.ts";
import { fromLocalInput, toLocalInput } from "../audit/local-time.ts";
import { describeZone } from "../format-time.ts";
import { useZone } from "../zone.tsx";
import type { ListView, ListViewControl } from "./list-view.ts";

/** The way to the next and the previous page and to an instant, and how far the search came where it looks at rows. */
export function TaskPager(props: {
  page: TaskPage;
  /** False: the page is still that of the view before, whose cursors lead through another list. */
  isOfView: boolean;
  /** More of the page is on its way. */
  isLooking: boolean;
  view: ListView;
  goTo: ListViewControl["goTo"];
  jump: ListViewControl["jump"];
}) {
  const { page, isOfView, isLooking, view, goTo } = props;
  const t = useTranslations("tasks");
  const turn = (side: "prev" | "next", cursor: string | undefined, label: string) => (
    <button
      type="button"
      className="button"
      disabled={cursor === undefined || (isLooking && page.searchOn === side)}
      // Not disabled: that takes the focus from whoever turns one page after the other by keyboard.
      aria-disabled={!isOfView}
      onClick={() => isOfView && goTo(cursor)}
    >
      {page.searchOn === side ? t("searchOn") : label}
    </button>
  );
  return (
    <nav aria-label={t("pages")} className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2">
      <p className="me-auto text-xs text-ink-3">
        {t("pageHint", { count: page.items.length })}
        <SearchedText page={page} isLooking={isLooking} />
      </p>
      {page.order.by !== "bizKey" && view.filter.ids === undefined && (
        <JumpForm key={view.at} at={view.at} asOf={page.asOf} jump={props.jump} />
      )}
      {(view.cursor !== undefined || view.at !== undefined) && (
        <button type="button" className="button" onClick={() => goTo(undefined)}>
          {t("firstPage")}
        </button>
      )}
      {turn("prev", page.prevCursor, t("previous"))}
      {turn("next", page.nextCursor, t("next"))}
    </nav>
  );
}

/** How many rows were looked at, where that goes on, was the limit or is what a search within payloads cost. */
function SearchedText({ page, isLooking }: { page: TaskPage; isLooking: boolean }) {
  const t = useTranslations("tasks");
  const format = useFormatter();
  const locale = useLocale();
  const { searchedMs, exhausted } = page;
  const counted = { count: page.scanned, number: format.number(page.scanned) };
  if (isLooking) return <span className="ms-2">{t("looking", counted)}</span>;
  if (searchedMs === undefined) {
    return exhausted ? null : <span className="ms-2 text-warn">{t("scanned", counted)}</span>;
  }
  const seconds = (searchedMs / 1_000).toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return (
    <span role="status" className={`ms-2 ${exhausted ? "" : "text-warn"}`}>
      {exhausted ? t("searched", { ...counted, seconds }) : t("searchedStopped", { ...counted, seconds })}
    </span>
  );
}

/** Goes to the tasks of an instant, in place of page numbers that a moving list has not. */
function JumpForm(props: { at: string | undefined; asOf: string; jump: ListViewControl["jump"] }) {
  const t = useTranslations("tasks");
  const id = useId();
  const { timeZone = "UTC" } = useZone();
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const at = fromLocalInput(String(new FormData(event.currentTarget).get("at") ?? ""), timeZone);
    if (at !== null) props.jump(at);
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-center gap-2">
      <label htmlFor={id} className="text-xs text-ink-2">
        {t("jumpTo", { zone: describeZone(timeZone, new Date(props.asOf)) })}
      </label>
      <input
        id={id}
        name="at"
        type="datetime-local"
        required
        defaultValue={toLocalInput(props.at ?? null, timeZone)}
        className="min-h-7 rounded-md border border-line bg-card px-2"
      />
      <button type="submit" className="button">
        {t("jump")}
      </button>
    </form>
  );
}
