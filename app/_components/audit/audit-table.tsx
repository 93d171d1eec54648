"use client";

import { useTranslations } from "next-intl";
import { memo } from "react";
import type { AuditItem, AuditPage } from "../../_server/audit-schema.ts";
import { describeZone } from "../format-time.ts";
import { LiteralText } from "../literal-text.tsx";
import { TimeText } from "../time-text.tsx";
import { visibleText } from "../visible-text.ts";
import { useZone } from "../zone.tsx";
import { ActorText } from "./actor-text.tsx";
import { isKnownKind } from "./object-kinds.ts";
import { ResultBadge } from "./result-badge.tsx";
import { useActionNames } from "./use-action-names.ts";

export function AuditTable({ page, open }: { page: AuditPage; open: (id: string) => void }) {
  const t = useTranslations("audit");
  const { timeZone = "UTC" } = useZone();
  return (
    <div className="table-frame">
      <table className="data-table audit-table max-md:card-rows">
        <caption className="sr-only">{t("caption")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("time", { zone: describeZone(timeZone, new Date(page.asOf)) })}</th>
            <th scope="col">{t("actor")}</th>
            <th scope="col">{t("action")}</th>
            <th scope="col">{t("object")}</th>
            <th scope="col">{t("result")}</th>
            <th scope="col">{t("reason")}</th>
            <th scope="col">{t("ip")}</th>
          </tr>
        </thead>
        <tbody>
          {page.items.map((entry) => (
            <AuditRow key={entry.id} entry={entry} asOf={page.asOf} open={open} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const AuditRow = memo(function AuditRow(props: { entry: AuditItem; asOf: string; open: (id: string) => void }) {
  const { entry, asOf, open } = props;
  const t = useTranslations("audit");
  const { nameOf } = useActionNames();
  return (
    <tr className="cursor-pointer" onClick={() => open(entry.id)}>
      <td data-cell="time">
        <TimeText at={entry.at} asOf={asOf} />
      </td>
      <td data-cell="actor" className="max-w-56">
        <ActorText entry={entry} />
      </td>
      <td data-cell="action">
        <button
          type="button"
          aria-label={t("openEntry", { action: nameOf(entry.action), id: entry.id })}
          onClick={(event) => {
            event.stopPropagation();
            open(entry.id);
          }}
          title={visibleText(entry.action)}
          className="min-h-6 rounded-sm text-accent hover:underline"
        >
          {nameOf(entry.action)}
        </button>
      </td>
      <td data-cell="object" className="max-w-72">
        <ObjectText entry={entry} />
      </td>
      <td data-cell="result">
        <ResultBadge result={entry.result} />
      </td>
      <td data-cell="reason" className="w-full max-w-0">
        {entry.reason !== undefined && <LiteralText text={entry.reason} />}
      </td>
      <td data-cell="ip" className="max-w-40 font-mono text-xs text-ink-2">
        {entry.ip !== undefined && <LiteralText text={entry.ip} />}
      </td>
    </tr>
  );
});

/** What was acted on: its kind, its id, and its event type if it has one beside that. */
export function ObjectText({ entry }: { entry: AuditItem }) {
  const t = useTranslations("audit");
  const kind = isKnownKind(entry.objectKind) ? t(`object_${entry.objectKind}`) : visibleText(entry.objectKind);
  const id = entry.objectId === undefined ? "" : visibleText(entry.objectId);
  const isTypeItself = entry.objectKind === "event_type" && entry.eventType === entry.objectId;
  const type = entry.eventType === undefined || isTypeItself ? undefined : visibleText(entry.eventType);
  return (
    <span dir="auto" title={[kind, id, type].filter(Boolean).join(" · ")} className="block truncate">
      <span className="text-ink-3">{kind}</span>
      <span className="ms-1.5 font-mono text-xs">{id}</span>
      {type !== undefined && <span className="ms-1.5">{type}</span>}
    </span>
  );
}
