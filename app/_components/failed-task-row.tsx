"use client";

import { useTranslations } from "next-intl";
import Link from "next/link";
import { memo } from "react";
import type { FailedTaskItem } from "../_server/list-failed-tasks.ts";
import { useMay } from "./account/asker.tsx";
import { AttemptBar } from "./attempt-bar.tsx";
import { Icon } from "./icons.tsx";
import { LiteralText } from "./literal-text.tsx";
import { StatusBadge, type ShownStatus } from "./status-badge.tsx";
import { TimeText } from "./time-text.tsx";
import { visibleText } from "./visible-text.ts";

const REASONS = ["exhausted", "non_retryable", "abandoned"] as const;

/** One failed task. After a refused reset it shows the state that the server saw, until the person dismisses it. */
export const FailedTaskRow = memo(function FailedTaskRow(props: {
  task: FailedTaskItem;
  asOf: string;
  isResetting: boolean;
  seenStatus: ShownStatus | undefined;
  ask: (task: FailedTaskItem) => void;
  dismiss: (id: string) => void;
}) {
  const { task, isResetting, seenStatus } = props;
  const t = useTranslations("failed");
  const mayAct = useMay("tasks.act");
  return (
    <tr className={isResetting ? "opacity-60" : ""}>
      <td data-cell="state">
        <StatusBadge status={seenStatus ?? "failed"} />
      </td>
      <td data-cell="type" className="max-w-48">
        <LiteralText text={task.eventType} className="font-medium" />
      </td>
      <td data-cell="key" className="max-w-64 font-mono text-xs">
        <LiteralText text={task.bizKey} />
        <Link
          href={`/tasks/${task.id}`}
          prefetch={false}
          className="block w-fit text-ink-3 hover:text-ink hover:underline"
        >
          {task.id}
        </Link>
      </td>
      <td data-cell="attempts">
        <AttemptBar count={task.retryCount} max={task.maxRetryCount} />
      </td>
      <td data-cell="error" className="w-full max-w-0">
        {seenStatus ? (
          <span className="font-medium whitespace-normal text-warn">
            {seenStatus === "gone" ? t("gone") : t("changed")}
          </span>
        ) : (
          <FailureText task={task} />
        )}
      </td>
      <td data-cell="time">
        <TimeText at={task.failedAt} asOf={props.asOf} />
      </td>
      <td data-cell="action" className="text-end">
        {seenStatus ? (
          <button
            type="button"
            data-row-action
            className="button min-w-20"
            aria-label={t("dismissTask", { id: task.id })}
            onClick={() => props.dismiss(task.id)}
          >
            {t("dismiss")}
          </button>
        ) : mayAct ? (
          <button
            type="button"
            data-row-action
            className="button min-w-20"
            aria-disabled={isResetting}
            aria-label={isResetting ? undefined : t("resetTask", { id: task.id, bizKey: visibleText(task.bizKey) })}
            onClick={() => isResetting || props.ask(task)}
          >
            {isResetting && <Icon name="redrive" className="size-3 animate-spin" />}
            {isResetting ? t("resetting") : t("reset")}
          </button>
        ) : null}
      </td>
    </tr>
  );
});

function FailureText({ task }: { task: FailedTaskItem }) {
  const t = useTranslations("failed");
  const reasons = useTranslations("reason");
  const reason = REASONS.find((one) => one === task.finishReason);
  return (
    <span className="block">
      {task.errorHead === undefined ? (
        <span className="text-ink-3">{t("noError")}</span>
      ) : (
        <LiteralText text={task.errorHead} className="text-ink-2" />
      )}
      {reason && <span className="block truncate text-xs text-ink-3">{reasons(`${reason}`)}</span>}
    </span>
  );
}
