"use client";

import { useFormatter, useTranslations } from "next-intl";
import type { TaskPage } from "../../_server/list-tasks.ts";
import { StateMessage } from "../state-message.tsx";
import type { ListView, ListViewControl } from "./list-view.ts";
import { onwardCursor } from "./read-page.ts";

/** Why there are no rows: none match, none wait for a person, none exist, or the search has not come to any yet. */
export function TaskListEmpty(props: {
  view: ListView;
  page: TaskPage;
  /** More of the page is on its way. */
  isLooking: boolean;
  control: ListViewControl;
}) {
  const { view, page, isLooking, control } = props;
  const t = useTranslations("taskEmpty");
  const format = useFormatter();
  const isFiltered = Object.keys(view.filter).length > 0;
  if (!page.exhausted) {
    const counted = { count: page.scanned, number: format.number(page.scanned) };
    if (isLooking)
      return <StateMessage tone="neutral" icon="search" title={t("lookingTitle")} hint={t("lookingHint", counted)} />;
    return (
      <StateMessage tone="slow" title={t("notYetTitle")} hint={t("notYetHint", counted)}>
        <button type="button" className="button" onClick={() => control.goTo(onwardCursor(page))}>
          {t("searchOn")}
        </button>
      </StateMessage>
    );
  }
  if (view.cursor !== undefined || view.at !== undefined)
    return <StateMessage tone="neutral" title={t("beyondTitle")} hint={t("beyondHint")} />;
  if (isFiltered) {
    const { ids } = view.filter;
    return (
      <StateMessage tone="neutral" title={t("filteredTitle")} hint={t("filteredHint")}>
        {ids !== undefined && !ids.includes(",") && (
          <button type="button" className="button" onClick={() => control.change({ ids: null, bizKeyPrefix: ids })}>
            {t("asBizKey", { text: ids })}
          </button>
        )}
        {view.state !== "all" && (
          <button type="button" className="button" onClick={() => control.change({ state: "all" })}>
            {t("inAllStates")}
          </button>
        )}
        <button type="button" className="button" onClick={control.clear}>
          {t("clear")}
        </button>
      </StateMessage>
    );
  }
  switch (view.state) {
    case "failed":
      return <StateMessage tone="good" title={t("failedTitle")} hint={t("failedHint")} />;
    case "stuck":
      return <StateMessage tone="good" title={t("stuckTitle")} hint={t("stuckHint")} />;
    case "all":
      return <StateMessage tone="neutral" title={t("allTitle")} hint={t("allHint")} />;
    default:
      return <StateMessage tone="neutral" title={t("stateTitle")} hint={t("stateHint")} />;
  }
}
