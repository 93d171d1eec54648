"use client";

import { useTranslations } from "next-intl";
import type { TaskPage } from "../../_server/list-tasks.ts";
import type { ListState } from "./list-view.ts";

/** The orders that an index serves for this filter; the title says why there are no others. */
export function OrderChoice(props: { page: TaskPage; state: ListState; choose: (sort: string) => void }) {
  const { page, choose } = props;
  const t = useTranslations("taskOrder");
  // What was the due time of a failed task is the time of its failure.
  const nameOf = (by: TaskPage["order"]["by"]) => (by === "due" && props.state === "failed" ? "failed" : by);
  return (
    <select
      aria-label={t("label")}
      title={t("why")}
      value={`${page.order.by}.${page.order.direction}`}
      onChange={({ target }) => choose(target.value)}
      className="min-h-8 max-w-52 rounded-md border border-line bg-card px-2 text-ink-2"
    >
      {page.orders.flatMap((by) =>
        (["desc", "asc"] as const).map((direction) => (
          <option key={`${by}.${direction}`} value={`${by}.${direction}`}>
            {t(`${nameOf(by)}_${direction}`)}
          </option>
        )),
      )}
    </select>
  );
}
