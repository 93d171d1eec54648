"use client";

import { useTranslations } from "next-intl";
import type { TaskStatus } from "../../../db/schema/task-status.ts";
import { visibleText } from "../visible-text.ts";
import { attemptDetail } from "./attempt-detail.ts";
import { useTimeTexts } from "./use-time-texts.ts";

const STATUSES = ["pending", "running", "succeeded", "failed", "cancelled"] as const satisfies readonly TaskStatus[];
const TRIES = ["success", "skip", "retry", "failed", "snooze", "cancel", "release"] as const;

/** What stands beside an entry of a task's history: the engine's words in the person's language, any other text as it is. */
export function useDetailText(): (entry: { readonly kind: string; readonly detail: string }) => string {
  const t = useTranslations("detail");
  const status = useTranslations("status");
  const texts = useTimeTexts();
  return ({ kind, detail }) => {
    const found = attemptDetail(kind, detail);
    switch (found.code) {
      case "recycled":
      case "abandoned":
        return t(`${found.code}`, { worker: visibleText(found.worker), count: found.count, max: found.max });
      case "replayed_as":
      case "replayed_of": {
        const { code, id, reason } = found;
        return reason === undefined
          ? t(`${code}`, { id })
          : t("because", { what: t(`${code}`, { id }), reason: visibleText(reason) });
      }
      case "bulk":
        return t("because", { what: t("bulk", { id: found.id }), reason: visibleText(found.reason) });
      case "by_handler":
        return t("by_handler");
      case "refused": {
        const { claim, holder } = found;
        const known = STATUSES.find((one) => one === found.status);
        const tried = TRIES.find((one) => one === found.tried);
        const values = {
          tried: tried ? t(`tried_${tried}`) : found.tried,
          status: known ? status(`${known}`) : t("gone"),
          since: texts.duration(found.lateMs),
        };
        if (claim === undefined) return t("refused", values);
        return holder === undefined
          ? t("refusedClaim", { ...values, claim })
          : t("refusedHolder", { ...values, claim, holder: visibleText(holder) });
      }
      case "text":
        return visibleText(found.text);
    }
  };
}
