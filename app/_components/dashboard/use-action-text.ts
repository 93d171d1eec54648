"use client";

import { useTranslations } from "next-intl";
import type { ActionItem } from "../../_server/dashboard/actions.ts";
import { useActionNames } from "../audit/use-action-names.ts";
import { visibleText } from "../visible-text.ts";

/** One line on an action: who did what to what. */
export function useActionText(): (action: ActionItem) => string {
  const t = useTranslations("actions");
  const { didOf } = useActionNames();
  return ({ actor, action, objectId, eventType }) => {
    const object = new Set([objectId, eventType].flatMap((text) => (text === undefined ? [] : [visibleText(text)])));
    return t("line", { actor: visibleText(actor), action: didOf(action), object: [...object].join(" · ") });
  };
}
