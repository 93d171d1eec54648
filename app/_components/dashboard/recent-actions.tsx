"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import { LiveCard } from "../live-card.tsx";
import { StateMessage } from "../state-message.tsx";
import { TimeText } from "../time-text.tsx";
import { visibleText } from "../visible-text.ts";
import { useActionText } from "./use-action-text.ts";
import { useActions } from "./use-dashboard.ts";

/** The last things that people did, so that nobody wonders why a curve bends. */
export function RecentActionsCard() {
  const t = useTranslations("actions");
  const query = useActions();
  const titleId = useId();
  const describe = useActionText();
  return (
    <LiveCard
      labelledBy={titleId}
      query={query}
      skeleton={<div className="h-24" />}
      header={
        <header className="flex items-baseline justify-between gap-3 px-4 pt-3 pb-1">
          <h2 id={titleId} className="font-semibold">
            {t("title")}
          </h2>
          <p className="text-xs text-ink-3">{t("hint")}</p>
        </header>
      }
    >
      {({ items, asOf }) =>
        items.length === 0 ? (
          <StateMessage tone="neutral" icon="person" title={t("emptyTitle")} hint={t("emptyHint")} />
        ) : (
          <ul className="pb-1">
            {items.map((action) => (
              <li key={action.id} className="border-t border-soft px-4 py-1.5 first:border-0">
                <p className="wrap-anywhere">{describe(action)}</p>
                <p className="flex flex-wrap gap-x-2 text-xs text-ink-3">
                  <TimeText at={action.at} asOf={asOf} />
                  {action.reason && <span className="min-w-0 wrap-anywhere">“{visibleText(action.reason)}”</span>}
                </p>
              </li>
            ))}
          </ul>
        )
      }
    </LiveCard>
  );
}
