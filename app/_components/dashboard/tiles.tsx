"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import { useLocale, useTranslations } from "next-intl";
import type { Overview } from "../../_server/count-tasks.ts";
import type { DashboardTrends } from "../../_server/dashboard/read-trends.ts";
import type { Spark } from "../../_server/dashboard/trends.ts";
import type { ApiError } from "../api-client.ts";
import { formatDuration } from "../format-time.ts";
import { useCountText } from "../number-text.tsx";
import { tasksHref } from "./links.ts";
import { totalsOf } from "./overview-totals.ts";
import { THRESHOLDS } from "./thresholds.ts";
import { Tile } from "./tile.tsx";
import { useChangeText } from "./use-change-text.ts";

/** The six numbers over all event types. Zero is grey; only what needs a person is filled. A part that fails says so alone. */
export function Tiles(props: {
  overview: Overview | undefined;
  isUnknown: boolean;
  trends: UseQueryResult<DashboardTrends, ApiError>;
}) {
  const { overview, isUnknown } = props;
  const { data: trends, error } = props.trends;
  const t = useTranslations("tiles");
  const locale = useLocale();
  const count = useCountText();
  const changes = useChangeText(trends);
  const totals = overview && totalsOf(overview);
  const workers = overview?.workers;
  const lost = workers ? workers.registered - workers.alive : 0;
  const age = totals?.oldestDueAgeMs ?? 0;
  const common = (spark: Spark) => ({
    isUnknown,
    spark: trends?.sparks[spark],
    note: error && !trends ? t("noTrend") : undefined,
  });
  return (
    <dl aria-label={t("label")} className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
      <Tile
        {...common("due")}
        label={t("due")}
        value={totals && count(totals.due, totals.isCapped.due)}
        tone={totals?.due ? "plain" : "calm"}
        href={tasksHref({ state: "due" })}
        changes={changes("due", totals?.due)}
      >
        {totals && t("scheduled", { number: count(totals.pending - totals.due, totals.isCapped.pending) })}
      </Tile>
      <Tile
        {...common("oldestDueAgeMs")}
        label={t("oldest")}
        value={totals && (age === 0 ? t("none") : formatDuration(age, locale))}
        tone={age >= THRESHOLDS.veryLateMs ? "bad" : age >= THRESHOLDS.lateMs ? "odd" : age > 0 ? "plain" : "calm"}
        href={tasksHref({ state: "due" })}
        changes={changes("oldestDueAgeMs", totals?.oldestDueAgeMs)}
      >
        {t("oldestLimit", { age: formatDuration(THRESHOLDS.lateMs, locale) })}
      </Tile>
      <Tile
        {...common("running")}
        label={t("running")}
        value={totals && count(totals.running, totals.isCapped.running)}
        tone={totals?.running ? "plain" : "calm"}
        href={tasksHref({ state: "running" })}
        changes={changes("running", totals?.running)}
      >
        {t("runningHint")}
      </Tile>
      <Tile
        {...common("failed")}
        label={t("failed")}
        value={totals && count(totals.failed, totals.isCapped.failed)}
        tone={totals?.failed ? "bad" : "calm"}
        href={tasksHref({ state: "failed" })}
        changes={changes("failed", totals?.failed)}
      >
        {totals?.failed ? t("failedHint") : t("failedNone")}
      </Tile>
      <Tile
        {...common("recycled")}
        isUnknown={isUnknown || totals?.recycled1h === null}
        label={t("recycled")}
        value={totals?.recycled1h === null ? undefined : totals && count(totals.recycled1h)}
        tone={totals?.recycled1h ? "odd" : "calm"}
        href={tasksHref({ state: "all", recycled: true })}
        changes={changes("recycled", totals?.recycled1h ?? undefined)}
      >
        {totals?.recycled1h ? t("recycledHint") : t("recycledNone")}
      </Tile>
      <Tile
        isUnknown={isUnknown || workers === null}
        label={t("workers")}
        value={
          workers
            ? workers.registered > 0
              ? `${count(workers.alive)} / ${count(workers.registered)}`
              : count(0)
            : undefined
        }
        tone={workers?.alive === 0 ? "bad" : lost > 0 ? "odd" : "calm"}
        changes={[]}
      >
        {workers?.alive === 0 ? t("workersNone") : lost > 0 ? t("workersLost", { count: lost }) : t("workersAll")}
      </Tile>
    </dl>
  );
}
