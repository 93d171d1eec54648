"use client";

import { useLocale, useTranslations } from "next-intl";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useEffect, useRef } from "react";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { useMay } from "../account/asker.tsx";
import { formatAgo } from "../format-time.ts";
import { LiteralText } from "../literal-text.tsx";
import { StatusBadge } from "../status-badge.tsx";
import { CopyButton } from "../copy-button.tsx";
import type { TaskActions } from "./use-task-actions.ts";
import { useTimeTexts } from "./use-time-texts.ts";

// The library that places them comes while the task itself is read.
const CancelPopover = dynamic(() => import("./cancel-popover.tsx").then((part) => part.CancelPopover), { ssr: false });
const ResetPopover = dynamic(() => import("./reset-popover.tsx").then((part) => part.ResetPopover), { ssr: false });
const TaskMenu = dynamic(() => import("./task-menu.tsx").then((part) => part.TaskMenu), {
  ssr: false,
  loading: () => <span className="size-[26px]" />,
});
const RunNowPopover = dynamic(() => import("./run-now-popover.tsx").then((part) => part.RunNowPopover), { ssr: false });

/** Which task this is, and what can be done with it in its state. */
export function TaskHeader(props: {
  answer: TaskAnswer;
  actions: TaskActions;
  /** It stands beside the list, so there is no way back to it. */
  isBeside: boolean;
  isWatching: boolean;
  setWatching: (isWatching: boolean) => void;
}) {
  const { answer, actions, isWatching } = props;
  const { task } = answer;
  const t = useTranslations("task");
  const mayAct = useMay("tasks.act");
  const locale = useLocale();
  const texts = useTimeTexts();
  const isMoving = task.status === "pending" || task.status === "running";
  const heading = useRef<HTMLHeadingElement>(null);
  const shownStatus = useRef(task.status);
  useEffect(() => {
    if (shownStatus.current === task.status) return;
    shownStatus.current = task.status;
    // The button that was pressed left with the old state, and the focus with it.
    if (document.activeElement === document.body) heading.current?.focus();
  }, [task.status]);
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
      {!props.isBeside && (
        <nav aria-label={t("breadcrumb")} className="text-ink-2">
          <Link href="/tasks" prefetch={false} className="hover:text-ink hover:underline">
            {t("breadcrumb")}
          </Link>{" "}
          <span aria-hidden="true">/</span>
        </nav>
      )}
      {task.status && <StatusBadge status={task.status} />}
      <h1 ref={heading} tabIndex={-1} className="flex min-w-0 max-w-full items-center gap-3 text-lg font-semibold">
        <LiteralText text={task.eventType} />
        <LiteralText text={task.bizKey} className="font-mono text-sm font-normal" />
      </h1>
      <span className="flex items-center font-mono text-ink-2">
        #{task.id}
        <CopyButton text={task.id} label={t("copyId")} done={t("copied")} />
      </span>
      <span className="text-xs text-ink-2" title={texts.instant(task.createdAt)}>
        {t("created", { ago: formatAgo(Date.parse(answer.asOf) - Date.parse(task.createdAt), locale) })}
      </span>
      <div className="ms-auto flex flex-wrap items-center justify-end gap-2">
        {isMoving && (
          <button
            type="button"
            aria-pressed={isWatching}
            onClick={() => props.setWatching(!isWatching)}
            className="button aria-pressed:border-accent aria-pressed:text-accent"
          >
            {t("watch")}
          </button>
        )}
        {mayAct && (task.status === "failed" || task.status === "pending") && (
          <CancelPopover task={task} actions={actions} />
        )}
        {mayAct && task.status === "pending" && task.dueInMs > 0 && <RunNowPopover actions={actions} />}
        {mayAct && isResettable(answer) && <ResetPopover answer={answer} actions={actions} />}
        <TaskMenu task={task} />
      </div>
    </header>
  );
}

/** Failed for good, or left running by a worker that died or by foreign code with no attempt left: what a reset takes. */
function isResettable({ task, explanation }: TaskAnswer): boolean {
  const { status, owner, retryCount, maxRetryCount } = task;
  if (status === "failed" || explanation.code === "owner_dead") return true;
  return status === "running" && owner === undefined && retryCount >= maxRetryCount;
}
