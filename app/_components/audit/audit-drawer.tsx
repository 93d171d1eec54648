"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import Link from "next/link";
import { type ReactNode, useId } from "react";
import type { AuditEntryAnswer, AuditItem } from "../../_server/audit-schema.ts";
import { type ApiError, getJson } from "../api-client.ts";
import { Icon } from "../icons.tsx";
import { ProblemMessage } from "../live-card.tsx";
import { TimeText } from "../time-text.tsx";
import { useModalDialog } from "../use-modal-dialog.ts";
import { visibleText } from "../visible-text.ts";
import { ActorText } from "./actor-text.tsx";
import { AuditChangeTable } from "./audit-change-table.tsx";
import { ObjectText } from "./audit-table.tsx";
import { ResultBadge } from "./result-badge.tsx";
import { useActionNames } from "./use-action-names.ts";
import type { AuditView } from "./use-audit-view.ts";

/** One entry beside the list: all it holds, field by field what changed, and the other entries of the same action. */
export function AuditDrawer({ id, view }: { id: string; view: AuditView }) {
  const t = useTranslations("audit");
  const titleId = useId();
  const close = () => view.open(null);
  const dialog = useModalDialog(close);
  const query = useQuery<AuditEntryAnswer, ApiError>({
    queryKey: ["audit-entry", id],
    queryFn: ({ signal }) => getJson<AuditEntryAnswer>(`/api/v1/audit/${encodeURIComponent(id)}`, signal),
    retry: false,
    networkMode: "always",
    staleTime: Infinity,
  });
  return (
    <dialog
      {...dialog}
      aria-labelledby={titleId}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) close();
      }}
      className="fixed inset-y-0 end-0 ms-auto h-dvh max-h-dvh w-[min(680px,100vw)] max-w-none overflow-y-auto border-s border-line bg-card text-ink shadow-2xl"
    >
      <div className="min-h-full">
        <header className="sticky top-0 flex items-center gap-3 border-b border-line bg-card px-4 py-2.5">
          <h2 id={titleId} className="text-base font-semibold">
            {t("entryTitle", { id })}
          </h2>
          <button type="button" aria-label={t("close")} onClick={close} className="button ms-auto size-7 p-0">
            <Icon name="close" />
          </button>
        </header>
        {query.data ? (
          <Entry answer={query.data} view={view} />
        ) : query.error ? (
          <ProblemMessage error={query.error} retry={() => void query.refetch()} />
        ) : (
          <p role="status" className="px-4 py-6 text-ink-2">
            {t("loadingEntry")}
          </p>
        )}
      </div>
    </dialog>
  );
}

function Entry({ answer, view }: { answer: AuditEntryAnswer; view: AuditView }) {
  const t = useTranslations("audit");
  const { nameOf } = useActionNames();
  const { entry, detail, related, asOf } = answer;
  const { objectId, correlation } = entry;
  return (
    <div className="grid gap-5 px-4 py-4">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1.5">
        <Fact name={t("when")}>
          <TimeText at={entry.at} asOf={asOf} />
        </Fact>
        <Fact name={t("actor")}>
          <ActorText entry={entry} />
        </Fact>
        <Fact name={t("action")}>
          {`${nameOf(entry.action)} `}
          <span className="font-mono text-xs text-ink-3">{visibleText(entry.action)}</span>
        </Fact>
        <Fact name={t("object")}>
          <ObjectText entry={entry} />
        </Fact>
        <Fact name={t("result")}>
          <ResultBadge result={entry.result} />
        </Fact>
        {entry.reason !== undefined && (
          <Fact name={t("reason")}>
            <span dir="auto" className="wrap-anywhere whitespace-pre-wrap">
              {visibleText(entry.reason)}
            </span>
          </Fact>
        )}
        {entry.ip !== undefined && <Fact name={t("ip")}>{<Code text={entry.ip} />}</Fact>}
        {entry.requestId !== undefined && <Fact name={t("requestId")}>{<Code text={entry.requestId} />}</Fact>}
        {correlation !== undefined && <Fact name={t("correlation")}>{<Code text={correlation} />}</Fact>}
      </dl>
      <AuditChangeTable detail={detail} />
      <div className="flex flex-wrap gap-2">
        {entry.objectKind === "task" && objectId !== undefined && /^\d+$/.test(objectId) && (
          <Link href={`/tasks/${objectId}`} className="button">
            {t("openTask")}
          </Link>
        )}
        {objectId !== undefined && (
          <button
            type="button"
            className="button"
            onClick={() => view.filter({ ...NO_FILTERS, objectKind: entry.objectKind, objectId })}
          >
            {t("sameObject")}
          </button>
        )}
        <button type="button" className="button" onClick={() => view.filter({ ...NO_FILTERS, actor: entry.actor })}>
          {t("sameActor")}
        </button>
      </div>
      {related.length > 0 && <Related entries={related} asOf={asOf} open={view.open} />}
    </div>
  );
}

const NO_FILTERS = {
  ...{ actor: null, action: null, objectKind: null, objectId: null, eventType: null, result: null },
  ...{ correlation: null, from: null, to: null },
};

function Related(props: { entries: readonly AuditItem[]; asOf: string; open: (id: string) => void }) {
  const t = useTranslations("audit");
  const { nameOf } = useActionNames();
  const titleId = useId();
  return (
    <section aria-labelledby={titleId}>
      <h3 id={titleId} className="mb-1 font-semibold">
        {t("related", { count: props.entries.length })}
      </h3>
      <ul className="divide-y divide-soft rounded-md border border-line">
        {props.entries.map((entry) => (
          <li key={entry.id}>
            <button
              type="button"
              onClick={() => props.open(entry.id)}
              className="flex min-h-8 w-full flex-wrap items-center gap-x-3 px-3 py-1 text-start hover:bg-soft"
            >
              <span className="text-accent">{nameOf(entry.action)}</span>
              <span className="min-w-0">
                <ObjectText entry={entry} />
              </span>
              <span className="ms-auto">
                <ResultBadge result={entry.result} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="col-span-2 grid grid-cols-subgrid">
      <dt className="text-ink-2">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}

function Code({ text }: { text: string }) {
  return (
    <span dir="auto" className="font-mono text-xs wrap-anywhere">
      {visibleText(text)}
    </span>
  );
}
