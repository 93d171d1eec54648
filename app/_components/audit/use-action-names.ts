"use client";

import { useTranslations } from "next-intl";
import type messages from "../../_messages/en/index.ts";
import type { AuditAction } from "../../../db/schema/audit-actions.ts";
import { visibleText } from "../visible-text.ts";

type KeyOf<Action extends string> = Action extends `${infer Noun}.${infer Verb}` ? `${Noun}_${Verb}` : never;
type NameKey = KeyOf<AuditAction>;
type DidKey = Extract<keyof (typeof messages)["auditAction"], `did_${NameKey}`>;

export interface ActionNames {
  /** As a list calls it: `Reset task`. One that this version has no words for is named as it is stored. */
  readonly nameOf: (action: string) => string;
  /** As a sentence tells it, before its object: `reset task`. */
  readonly didOf: (action: string) => string;
}

/** The words for everything that the audit log tells of, the same on every page. */
export function useActionNames(): ActionNames {
  const t = useTranslations("auditAction");
  return {
    nameOf: (action) => {
      const key = keyOf(action) as NameKey;
      return t.has(key) ? t(`${key}`) : visibleText(action);
    },
    didOf: (action) => {
      const key = `did_${keyOf(action)}` as DidKey;
      return t.has(key) ? t(`${key}`) : visibleText(action);
    },
  };
}

/** No other name can be one of a message; a stored text is no path into the messages. */
function keyOf(action: string): string {
  return /^[a-z]+\.[a-z_]+$/.test(action) ? action.replace(".", "_") : "";
}
