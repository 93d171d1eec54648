"use client";

import { useTranslations } from "next-intl";
import { Fragment, useState } from "react";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { ApiError } from "../api-client.ts";
import { usePageKeys } from "../keys/keys.tsx";
import { ProblemMessage } from "../live-card.tsx";
import { useNotify } from "../notices.tsx";
import { TaskSection } from "./task-section.tsx";
import { CurrentEntry, TimelineEntry } from "./timeline-entry.tsx";
import type { TaskHistory } from "./use-task-history.ts";

const SHOWN_FIRST = 5;

/** What happened to the task, newest first, in rounds: a reset begins a new one. */
export function Timeline({ answer, history }: { answer: TaskAnswer; history: TaskHistory }) {
  const t = useTranslations("attempt");
  const problem = useTranslations("problem");
  const notify = useNotify();
  const [isWhole, setWhole] = useState(false);
  const { items, query, hasOlder } = history;
  const shown = isWhole ? items : items.slice(0, SHOWN_FIRST);
  const { status } = answer.task;
  const hasCurrent = status === "running" || status === "succeeded";
  const rounds = new Set(items.map(({ round }) => round)).size;
  const canExpand = items.length > SHOWN_FIRST;
  usePageKeys(
    canExpand ? [{ key: "e", text: isWhole ? t("showFew") : t("expand"), run: () => setWhole(!isWhole) }] : [],
  );
  const loadOlder = async () => {
    try {
      await history.loadOlder();
    } catch (error) {
      const code = error instanceof ApiError ? error.code : "unexpected";
      notify("problem", t("olderFailed", { problem: problem(`${code}`) }));
    }
  };
  if (!query.data && query.error) {
    return (
      <TaskSection title={t("title")}>
        <ProblemMessage error={query.error} retry={() => void query.refetch()} />
      </TaskSection>
    );
  }
  return (
    <TaskSection title={t("title")} hint={t("hint")}>
      {items.length === 0 && !hasCurrent && <p className="px-4 py-3 text-ink-2">{query.data ? t("none") : ""}</p>}
      <ol className="grid">
        {hasCurrent && <CurrentEntry answer={answer} />}
        {shown.map((entry, index) => (
          <Fragment key={entry.id}>
            {rounds > 1 && entry.round !== shown[index - 1]?.round && (
              <li className="bg-soft px-4 py-0.5 text-xs font-medium text-ink-2">
                {t("round", { round: entry.round })}
              </li>
            )}
            <TimelineEntry
              entry={entry}
              older={items[index + 1]}
              isFirst={!hasOlder && index === items.length - 1}
              newer={items[index - 1]}
            />
          </Fragment>
        ))}
      </ol>
      {(canExpand || hasOlder) && (
        <div className="flex flex-wrap gap-2 border-t border-soft px-4 py-2">
          {canExpand && (
            <button type="button" className="button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
              {isWhole ? t("showFew") : t("showAll", { count: hasOlder ? `${items.length}+` : items.length })}
            </button>
          )}
          {isWhole && hasOlder && (
            <button type="button" className="button" onClick={() => void loadOlder()}>
              {t("older")}
            </button>
          )}
        </div>
      )}
    </TaskSection>
  );
}
