"use client";

import { useLocale, useTranslations } from "next-intl";
import { useId, useState } from "react";
import type { ArchivedTaskAnswer } from "../../_server/archived-task.ts";
import type { PayloadAnswer } from "../../_server/read-payload.ts";
import { ProblemMessage } from "../live-card.tsx";
import { PayloadView } from "../task/payload-view.tsx";
import { sizeText } from "../task/size-text.ts";
import { useStillQuery } from "../use-still-query.ts";

/** The path under which the payload of exactly this task is read. */
export function payloadPath({ id, archivedAt }: { readonly id: string; readonly archivedAt: string }): string {
  return `/api/v1/archive/${id}/payload?${new URLSearchParams({ archivedAt }).toString()}`;
}

/** The payload, read only once it is asked for; every digit as it is stored, secret values masked by the server. */
export function ArchivedPayload({ task }: { task: ArchivedTaskAnswer["task"] }) {
  const t = useTranslations("archived");
  const live = useTranslations("live");
  const locale = useLocale();
  const titleId = useId();
  const [isShown, setShown] = useState(false);
  const { data, error, refetch } = useStillQuery<PayloadAnswer>(payloadPath(task), { enabled: isShown });
  const size = sizeText(task.payloadBytes, locale);
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
        <div className="min-w-0 rounded-md border border-line">
          <PayloadView payload={data} text={data.text} />
        </div>
      ) : (
        <p className="text-ink-2">{data.isTooLarge ? t("payloadTooLarge", { size }) : t("payloadHidden")}</p>
      )}
    </section>
  );
}
