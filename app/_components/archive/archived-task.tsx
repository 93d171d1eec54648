"use client";

import { useTranslations } from "next-intl";
import Link from "next/link";
import { useId, useState } from "react";
import type { ArchivedTaskAnswer } from "../../_server/archived-task.ts";
import { LiveCard } from "../live-card.tsx";
import { StatusBadge } from "../status-badge.tsx";
import { useStillQuery } from "../use-still-query.ts";
import { visibleText } from "../visible-text.ts";
import { useMay } from "../account/asker.tsx";
import { Icon } from "../icons.tsx";
import { ArchiveFrame } from "./archive-frame.tsx";
import { ArchivedFacts } from "./archived-facts.tsx";
import { ArchivedHistory } from "./archived-history.tsx";
import { ArchivedLinks } from "./archived-links.tsx";
import { ArchivedPayload } from "./archived-payload.tsx";
import { Retention } from "./retention.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";

/** Everything about one archived task, to be read only; the one thing that can be done is to make a new task from it. */
export function ArchivedTask({ id, archivedAt }: { id: string; archivedAt: string | undefined }) {
  const mayReplay = useMay("archive.replay");
  const t = useTranslations("archived");
  const titleId = useId();
  const [isAsking, setAsking] = useState(false);
  const path = `/api/v1/archive/${id}${archivedAt === undefined ? "" : `?${new URLSearchParams({ archivedAt }).toString()}`}`;
  const query = useStillQuery<ArchivedTaskAnswer>(path);
  const task = query.data?.task;
  return (
    <ArchiveFrame>
      <Link href="/archive" className="button justify-self-start">
        ← {t("back")}
      </Link>
      <LiveCard
        labelledBy={titleId}
        query={query}
        skeleton={<div className="h-80" />}
        header={
          <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-3">
            <h1 id={titleId} className="text-lg font-semibold">
              {t("title", { id })}
            </h1>
            <span className="inline-flex items-center gap-1.5 rounded-[5px] bg-soft px-1.5 py-px text-xs font-medium text-ink-2">
              <Icon name="archive" className="size-3" />
              {t("badge")}
            </span>
            {task?.status && <StatusBadge status={task.status} />}
            {task && (
              <span dir="auto" className="min-w-0 truncate font-medium text-ink-2">
                {visibleText(task.eventType)}
              </span>
            )}
            {task && mayReplay && (
              <button type="button" className="button button-primary ms-auto min-h-8" onClick={() => setAsking(true)}>
                <Icon name="redrive" />
                {t("replay")}
              </button>
            )}
          </header>
        }
      >
        {(answer) => (
          <div className="grid gap-5 p-4">
            <p className="text-ink-2">
              {t("sentence")} <Retention deletedAfter={answer.deletedAfter} />
            </p>
            <ArchivedLinks answer={answer} />
            <ArchivedFacts answer={answer} />
            <ArchivedHistory answer={answer} />
            <ArchivedPayload task={answer.task} />
          </div>
        )}
      </LiveCard>
      {isAsking && task && <ReplayDialog task={task} close={() => setAsking(false)} />}
    </ArchiveFrame>
  );
}
