"use client";

import { useTranslations } from "next-intl";
import type { TaskPage } from "../../_server/list-tasks.ts";

/** The orders that an index serves for this filter; the title says why there are no others. */
export function OrderChoice({ page, choose }: { page: TaskPage; choose: (sort: string) => void }) {
  const t = useTranslations("taskOrder");
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
            {t(`${by}_${direction}`)}
          </option>
        )),
      )}
    </select>
  );
}
