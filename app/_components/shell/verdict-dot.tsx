"use client";

import { useTranslations } from "next-intl";
import Link from "next/link";
import type { Overview } from "../../_server/count-tasks.ts";
import type { DashboardTrends } from "../../_server/dashboard/read-trends.ts";
import { TRENDS_PATH } from "../dashboard/use-dashboard.ts";
import { useVerdictText, VERDICT_LOOK } from "../dashboard/use-verdict-text.ts";
import { Icon } from "../icons.tsx";
import { useLiveQuery } from "../use-live-query.ts";
import { OVERVIEW_PATH } from "../use-overview.ts";
import { tabMark } from "./tab-mark.ts";
import { useTabMark } from "./use-tab-mark.ts";

/** Seldom enough to cost nothing on pages that show something else; the overview itself asks oftener. */
const ASIDE = { everySeconds: 30, isAside: true, evenHidden: true } as const;

/**
 * The overview's verdict on every page: an icon of its own for each, the sentence beside it where there is room; and the
 * same in the browser's tab, which is seen while the page is not.
 */
export function VerdictDot() {
  const t = useTranslations("verdict");
  const { data: overview, error } = useLiveQuery<Overview>(OVERVIEW_PATH, ASIDE);
  const { data: trends } = useLiveQuery<DashboardTrends>(TRENDS_PATH, ASIDE);
  const { look, title, hint } = useVerdictText({ overview, trends, error });
  useTabMark(tabMark({ overview, trends, isFailing: error !== null }));
  const { icon, colours } = VERDICT_LOOK[look];
  return (
    <Link
      href="/"
      prefetch={false}
      data-verdict={look}
      title={[title, hint].filter(Boolean).join(" · ")}
      className={`flex h-7 min-w-7 items-center justify-center gap-1.5 rounded-md px-1.5 text-xs font-medium hover:bg-soft ${colours}`}
    >
      <Icon name={icon} className="size-4" />
      <span className="sr-only">{`${t("state")}: `}</span>
      <span className="header-words max-w-52 truncate max-[1535px]:sr-only">{title}</span>
    </Link>
  );
}
