"use client";

import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import type { ArchivedPayloadAnswer, ArchivedTaskAnswer } from "../../_server/archived-task.ts";
import { ProblemMessage } from "../live-card.tsx";
import { useStillQuery } from "../use-still-query.ts";
import { LongText } from "./archived-facts.tsx";
import { indentJson } from "./indent-json.ts";

/** The path under which the payload of exactly this task is read. */
export function payloadPath({ id, archivedAt }: { readonly id: string; readonly archivedAt: string }): string {
  return `/api/v1/archive/${id}/payload?${new URLSearchParams({ archivedAt }).toString()}`;
}

/** The payload, read only once it is asked for; every digit as it is stored, secret values masked by the server. */
export function ArchivedPayload({ task }: { task: ArchivedTaskAnswer["task"] }) {
  const t = useTranslations("archived");
  const live = useTranslations("live");
  const titleId = useId();
  const [isShown, setShown] = useState(false);
  const { data, error, refetch } = useStillQuery<ArchivedPayloadAnswer>(payloadPath(task), { enabled: isShown });
  const size =
    task.payloadBytes < 1_024
      ? t("bytes", { count: task.payloadBytes })
      : t("kilobytes", { count: Math.round(task.payloadBytes / 1_024) });
  return (
    <section aria-labelledby={titleId} className="grid min-w-0 gap-2">
      <h2 id={titleId} className="font-semibold">
        {t("payload")}
      </h2>
      {!isShown ? (
        <button type="button" className="button justify-self-start" onClick={() => setShown(true)}>
          {t("showPayload", { size })}
        </button>
      ) : error ? (
        <ProblemMessage error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <p role="status" className="text-ink-3">
          {live("loading")}
        </p>
      ) : data.text !== undefined ? (
        <LongText text={indentJson(data.text)} label={t("payload")} />
      ) : (
        <p className="text-ink-2">{data.isTooLarge ? t("payloadTooLarge", { size }) : t("payloadHidden")}</p>
      )}
    </section>
  );
}
