"use client";

import { useFormatter, useTranslations } from "next-intl";
import { type SubmitEvent, useState } from "react";
import type { BulkView } from "../../_server/bulk-view.ts";
import { useBulkAct } from "./use-bulk-act.ts";

/** How fast an action goes on, and the way to change it while it has not ended. */
export function BulkPace({ bulk }: { bulk: BulkView }) {
  const t = useTranslations("bulk");
  const format = useFormatter();
  const { act, isActing } = useBulkAct(bulk.id);
  const [rate, setRate] = useState(bulk.ratePerSecond === null ? "" : String(bulk.ratePerSecond));
  const shown =
    bulk.ratePerSecond === null ? t("paceUnlimited") : t("paceValue", { rate: format.number(bulk.ratePerSecond) });
  if (bulk.state === "finished" || bulk.state === "aborted") return shown;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void act("pace", { ratePerSecond: rate === "" ? null : Number(rate) });
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-center gap-2">
      <span className="min-w-24">{shown}</span>
      <input
        type="number"
        min="0.1"
        max="100000"
        step="any"
        aria-label={t("paceInput")}
        placeholder={t("paceHint")}
        title={t("paceHint")}
        value={rate}
        onChange={({ target }) => setRate(target.value)}
        className="input w-28"
      />
      <button type="submit" className="button" disabled={isActing}>
        {t("paceSet")}
      </button>
    </form>
  );
}
