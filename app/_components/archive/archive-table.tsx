"use client";

import { useTranslations } from "next-intl";
import Link from "next/link";
import type { ArchivedItem, ArchiveListAnswer } from "../../_server/browse-archive.ts";
import { AttemptBar } from "../attempt-bar.tsx";
import { describeZone } from "../format-time.ts";
import { ErrorHead } from "../error-head.tsx";
import { LiteralText } from "../literal-text.tsx";
import { StatusBadge } from "../status-badge.tsx";
import { TimeText } from "../time-text.tsx";
import { visibleText } from "../visible-text.ts";
import { useZone } from "../zone.tsx";
import { PageCheckbox, type Picking, RowCheckbox } from "./archive-picking.tsx";
import { selectionKey } from "./archive-targets.ts";
import { archivedTaskPage, type ShowArchive } from "./archive-view.ts";

/** A page of archived tasks, newest first; on a narrow screen each is a card of two lines. */
export function ArchiveTable(props: { page: ArchiveListAnswer; show: ShowArchive; picking: Picking | undefined }) {
  const { page, show, picking } = props;
  const t = useTranslations("archive");
  const { timeZone = "UTC" } = useZone();
  return (
    <div className="table-frame">
      <table className="data-table archive-table max-[900px]:card-rows">
        <caption className="sr-only">{t("caption")}</caption>
        <thead>
          <tr>
            {picking && (
              <th scope="col" data-cell="select">
                <PageCheckbox page={page} picking={picking} />
              </th>
            )}
            <th scope="col">{t("state")}</th>
            <th scope="col">{t("eventType")}</th>
            <th scope="col">
              {t("bizKey")} · {t("id")}
            </th>
            <th scope="col">{t("attempts")}</th>
            <th scope="col">{t("error")}</th>
            <th scope="col">{t("archivedAt", { zone: describeZone(timeZone, new Date(page.asOf)) })}</th>
          </tr>
        </thead>
        <tbody>
          {page.items.map((item) => (
            <ArchiveRow
              key={`${item.id} ${item.archivedAt}`}
              item={item}
              asOf={page.asOf}
              show={show}
              picking={picking}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ArchiveRow(props: { item: ArchivedItem; asOf: string; show: ShowArchive; picking: Picking | undefined }) {
  const { item, asOf, show, picking } = props;
  const t = useTranslations("archive");
  return (
    <tr aria-selected={picking && picking.selection.ids.has(selectionKey(item))}>
      {picking && (
        <td data-cell="select">
          <RowCheckbox item={item} picking={picking} />
        </td>
      )}
      <td data-cell="state">
        {item.status ? <StatusBadge status={item.status} /> : t("unknownState", { code: item.statusCode })}
      </td>
      <td data-cell="type" className="max-w-48">
        <LiteralText text={item.eventType} className="font-medium" />
      </td>
      <td data-cell="key" className="max-w-64 font-mono text-xs">
        <button
          type="button"
          aria-label={t("sameKey", { bizKey: visibleText(item.bizKey) })}
          className="block max-w-full text-start hover:underline"
          onClick={() => show({ key: item.bizKey, id: null, from: null, to: null })}
        >
          <LiteralText text={item.bizKey} />
        </button>
        <Link href={archivedTaskPage(item)} className="text-accent hover:underline">
          {item.id}
        </Link>
      </td>
      <td data-cell="attempts">
        <AttemptBar count={item.retryCount} max={item.maxRetryCount} />
      </td>
      <td data-cell="error" className="w-full max-w-0">
        {item.errorHead === undefined ? (
          <span className="text-ink-3 max-[900px]:hidden">{t("noError")}</span>
        ) : (
          <ErrorHead text={item.errorHead} className="text-ink-2" />
        )}
        {item.errorFingerprint !== undefined && (
          <button
            type="button"
            aria-label={t("sameCause", { cause: visibleText(item.errorFingerprint) })}
            className="block font-mono text-xs text-ink-3 hover:text-ink hover:underline"
            onClick={() => show({ cause: item.errorFingerprint ?? null, key: null, id: null })}
          >
            {visibleText(item.errorFingerprint)}
          </button>
        )}
      </td>
      <td data-cell="time">
        <TimeText at={item.archivedAt} asOf={asOf} />
      </td>
    </tr>
  );
}
