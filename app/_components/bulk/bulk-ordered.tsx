"use client";

import { useTranslations } from "next-intl";
import Link from "next/link";
import { useState } from "react";
import type { BulkView } from "../../_server/bulk-view.ts";
import { StateMessage } from "../state-message.tsx";
import { useBulkAct } from "./use-bulk-act.ts";
import { useSecondsLeft } from "./use-seconds-left.ts";

/** An action that was ordered a moment ago: the time in which it can be taken back, and the way to its page. */
export function BulkOrdered({ bulk, close }: { bulk: BulkView; close: () => void }) {
  const t = useTranslations("bulkPanel");
  const { act, isActing } = useBulkAct(bulk.id);
  const [aborted, setAborted] = useState<BulkView>();
  const seconds = useSecondsLeft(bulk.startsInMs, bulk.id);
  const watch = (
    <Link href={`/bulk/${bulk.id}`} className="button" onClick={close}>
      {t("watch")}
    </Link>
  );
  if (aborted) {
    const isUndone = aborted.done + aborted.skipped === 0;
    return (
      <StateMessage tone={isUndone ? "good" : "slow"} title={isUndone ? t("undone") : t("tooLate")}>
        {!isUndone && watch}
      </StateMessage>
    );
  }
  if (bulk.state === "awaiting_approval") {
    return (
      <StateMessage tone="slow" title={t("awaits")}>
        {watch}
      </StateMessage>
    );
  }
  return (
    <StateMessage tone={seconds > 0 ? "slow" : "good"} title={seconds > 0 ? t("startsIn", { seconds }) : t("begun")}>
      {seconds > 0 && (
        <button
          type="button"
          className="button button-primary"
          disabled={isActing}
          onClick={() => void act("abort").then((view) => view && setAborted(view))}
        >
          {t("undo")}
        </button>
      )}
      {watch}
    </StateMessage>
  );
}
