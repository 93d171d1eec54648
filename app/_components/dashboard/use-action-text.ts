"use client";

import { useTranslations } from "next-intl";
import type { ActionItem } from "../../_server/dashboard/actions.ts";
import { visibleText } from "../visible-text.ts";

const KNOWN = {
  "task.reset": "task_reset",
  "task.cancel": "task_cancel",
  "task.run_now": "task_run_now",
  "task.replay": "task_replay",
  "bulk.create": "bulk_create",
} as const;

/** One line on an action: who did what to what. An action this page has no words for is named as the audit log does. */
export function useActionText(): (action: ActionItem) => string {
  const t = useTranslations("actions");
  return (action) => {
    const known = Object.hasOwn(KNOWN, action.action) ? KNOWN[action.action as keyof typeof KNOWN] : undefined;
    const object = new Set(
      [action.objectId, action.eventType].flatMap((text) => (text === undefined ? [] : [visibleText(text)])),
    );
    return t("line", {
      actor: visibleText(action.actor),
      action: known ? t(`did_${known}`) : visibleText(action.action),
      object: [...object].join(" · "),
    });
  };
}
