"use client";

import { useFormatter, useTranslations } from "next-intl";
import Link from "next/link";
import { useId, useState } from "react";
import type { BulkDetail, BulkItem, BulkItemPage } from "../../_server/read-bulk.ts";
import type { BulkView } from "../../_server/bulk-view.ts";
import { archivedTaskPage } from "../archive/archive-view.ts";
import { BASE_PATH } from "../base-path.ts";
import { describeZone } from "../format-time.ts";
import { LiteralText } from "../literal-text.tsx";
import { LiveCard } from "../live-card.tsx";
import { Segmented } from "../segmented.tsx";
import { StatusBadge } from "../status-badge.tsx";
import { TimeText } from "../time-text.tsx";
import { useLiveQuery } from "../use-live-query.ts";
import { useZone } from "../zone.tsx";

type Shown = "all" | "done" | "skipped";

/** The tasks of an action, what became of each and how they are now, with the reasons why some were left alone. */
export function BulkItems({ bulk, skips }: { bulk: BulkView; skips: BulkDetail["skips"] }) {
  const t = useTranslations("bulk");
  const format = useFormatter();
  const titleId = useId();
  const { timeZone = "UTC" } = useZone();
  const isReplay = bulk.action === "replay";
  const [shown, setShown] = useState<Shown>("all");
  const [after, setAfter] = useState<string>();
  const result = shown === "all" ? "" : `&result=${shown}`;
  const query = useLiveQuery<BulkItemPage>(
    `/api/v1/bulk/${bulk.id}/items?limit=50${result}${after === undefined ? "" : `&cursor=${after}`}`,
  );
  const show = (next: Shown) => {
    setShown(next);
    setAfter(undefined);
  };
  return (
    <LiveCard
      labelledBy={titleId}
      query={query}
      skeleton={<span className="skeleton m-4 h-24 w-[calc(100%-32px)]" />}
      header={
        <header className="grid gap-2 border-b border-line px-4 py-2.5">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <h2 id={titleId} className="font-semibold">
              {t("itemsTitle")}
            </h2>
            <Segmented<Shown>
              label={t("itemsFilter")}
              value={shown}
              choose={show}
              segments={[
                { value: "all", content: t("itemsAll") },
                { value: "done", content: isReplay ? t("replayed") : t("itemsDone") },
                { value: "skipped", content: t("itemsSkipped") },
              ]}
            />
            <a
              href={`${BASE_PATH}/api/v1/bulk/${bulk.id}/items.csv${shown === "all" ? "" : `?result=${shown}`}`}
              download
              className="button ms-auto"
            >
              {t("csv")}
            </a>
          </div>
          {skips.length > 0 && (
            <div>
              <h3 className="text-xs text-ink-2">{t("skipsTitle")}</h3>
              <ul className="flex flex-wrap gap-x-6">
                {skips.map(({ detail, count }) => (
                  <li key={detail}>
                    {t(`skip_${detail}`)} <span className="font-semibold">{format.number(count)}</span>
                  </li>
                ))}
              </ul>
            </div>
          )}
        </header>
      }
    >
      {(page) =>
        page.items.length === 0 ? (
          <p className="px-4 py-6 text-center text-ink-2">{t("itemsEmpty")}</p>
        ) : (
          <>
            <div className="overflow-x-auto">
              <table className="data-table max-sm:card-rows">
                <caption className="sr-only">{t("itemsCaption")}</caption>
                <thead>
                  <tr>
                    <th scope="col">{isReplay ? t("itemArchived") : t("itemTask")}</th>
                    <th scope="col">{t("itemResult")}</th>
                    <th scope="col">{isReplay ? t("itemLive") : t("itemNow")}</th>
                    <th scope="col">{`${t("itemAt")} · ${describeZone(timeZone, new Date())}`}</th>
                  </tr>
                </thead>
                <tbody>
                  {page.items.map((item) => (
                    <tr key={`${item.taskId} ${item.archivedAt ?? ""}`}>
                      <td className="w-full max-w-0 max-sm:max-w-none">
                        {item.bizKey !== undefined && (
                          <LiteralText text={`${item.eventType ?? ""} · ${item.bizKey}`} className="font-medium" />
                        )}
                        <ItemId item={item} />
                      </td>
                      <td className="max-sm:whitespace-normal">
                        {item.detail !== undefined ? t(`skip_${item.detail}`) : isReplay ? t("replayed") : t("done")}
                      </td>
                      <td>
                        {item.liveId !== undefined && (
                          <Link
                            href={`/tasks/${item.liveId}`}
                            prefetch={false}
                            className="me-2 font-mono text-xs text-accent"
                          >
                            {item.liveId}
                          </Link>
                        )}
                        {isReplay && item.liveId === undefined ? null : item.status === undefined ? (
                          <span className="text-ink-3">{t("notLive")}</span>
                        ) : (
                          <StatusBadge status={item.status} />
                        )}
                      </td>
                      <td>
                        <TimeText at={item.at} asOf={new Date().toISOString()} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            {(page.nextCursor !== undefined || after !== undefined) && (
              <footer className="flex justify-end gap-2 border-t border-line px-4 py-2">
                {after !== undefined && (
                  <button type="button" className="button" onClick={() => setAfter(undefined)}>
                    {t("itemsFirst")}
                  </button>
                )}
                {page.nextCursor !== undefined && (
                  <button type="button" className="button" onClick={() => setAfter(page.nextCursor)}>
                    {t("itemsNext")}
                  </button>
                )}
              </footer>
            )}
          </>
        )
      }
    </LiveCard>
  );
}

function ItemId({ item }: { item: BulkItem }) {
  const { taskId, archivedAt } = item;
  const look = "font-mono text-xs";
  if (archivedAt === undefined) return <span className={`${look} text-ink-3`}>{taskId}</span>;
  return (
    <Link href={archivedTaskPage({ id: taskId, archivedAt })} prefetch={false} className={`${look} text-accent`}>
      {taskId}
    </Link>
  );
}
