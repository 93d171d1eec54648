"use client";

import { columnVisibilityFeature, createColumnHelper, tableFeatures } from "@tanstack/react-table";
import { useFormatter, useTranslations } from "next-intl";
import Link from "next/link";
import { AttemptBar } from "../attempt-bar.tsx";
import { CopyButton } from "../copy-button.tsx";
import { ErrorHead } from "../error-head.tsx";
import { PlainTime } from "../instant.tsx";
import { LiteralText } from "../literal-text.tsx";
import { formatDuration } from "../format-time.ts";
import { useLocale } from "next-intl";
import { StrategyText } from "../strategy-text.tsx";
import { visibleText } from "../visible-text.ts";
import { MiddleText } from "./middle-text.tsx";
import { TaskBadge } from "./task-badge.tsx";
import { lookOf, type ShownTask } from "./task-look.ts";

export const features = tableFeatures({ columnVisibilityFeature });
const helper = createColumnHelper<typeof features, ShownTask>();

/** The cells of a task that need nothing but the task; time, selection and actions are the row's own. */
export const columns = helper.columns([
  helper.display({ id: "state", cell: ({ row }) => <StateCell task={row.original} /> }),
  helper.display({
    id: "eventType",
    cell: ({ row }) => <LiteralText text={row.original.eventType} className="max-w-44 max-2xl:max-w-38" />,
  }),
  helper.display({ id: "bizKey", cell: ({ row }) => <KeyCell task={row.original} /> }),
  helper.display({ id: "id", cell: ({ row }) => <span className="font-mono text-xs">{row.original.id}</span> }),
  helper.display({
    id: "attempts",
    cell: ({ row }) => <AttemptBar count={row.original.retryCount} max={row.original.maxRetryCount} />,
  }),
  helper.display({ id: "error", cell: ({ row }) => <ErrorCell task={row.original} /> }),
  helper.display({ id: "time" }),
  helper.display({ id: "worker", cell: ({ row }) => <OptionalText text={row.original.owner} /> }),
  helper.display({ id: "updated" }),
  helper.display({ id: "created", cell: ({ row }) => <PlainTime at={row.original.createdAt} /> }),
  helper.display({ id: "strategy", cell: ({ row }) => <StrategyText strategy={row.original.retryStrategy} /> }),
  helper.display({ id: "interval", cell: ({ row }) => <Seconds seconds={row.original.firstIntervalSeconds} /> }),
  helper.display({ id: "recycled", cell: ({ row }) => <Count count={row.original.recycleCount} /> }),
  helper.display({ id: "trace", cell: ({ row }) => <OptionalText text={row.original.traceParent} /> }),
  helper.display({ id: "origin", cell: ({ row }) => <OptionalText text={row.original.origin} /> }),
]);

function StateCell({ task }: { task: ShownTask }) {
  const t = useTranslations("tasks");
  return (
    <span className="inline-flex items-center gap-1.5">
      {task.hasLeft && <span className="text-xs text-ink-2">{t("now")}</span>}
      <TaskBadge look={lookOf(task)} />
    </span>
  );
}

function KeyCell({ task }: { task: ShownTask }) {
  const t = useTranslations("tasks");
  const columnNames = useTranslations("taskColumn");
  return (
    <span className="relative flex max-w-66 max-2xl:max-w-56 items-center pe-6 font-mono text-xs">
      <Link
        href={`/tasks/${task.id}`}
        prefetch={false}
        data-row-link={task.id}
        className="flex min-w-0 rounded hover:text-accent hover:underline"
      >
        <MiddleText text={task.bizKey} />
      </Link>
      <CopyButton
        text={task.bizKey}
        label={t("copy", { name: columnNames("bizKey") })}
        done={t("copied")}
        tabIndex={-1}
        className="copy-button absolute end-0"
      />
    </span>
  );
}

function ErrorCell({ task }: { task: ShownTask }) {
  if (task.errorHead === undefined || task.status === "succeeded") return null;
  return <ErrorHead text={task.errorHead} className="text-ink-2" />;
}

function OptionalText({ text }: { text: string | undefined }) {
  if (text === undefined) return <span className="text-ink-3">–</span>;
  return (
    <span className="block max-w-32 font-mono text-xs text-ink-2" title={visibleText(text)}>
      <MiddleText text={text} />
    </span>
  );
}

function Seconds({ seconds }: { seconds: number }) {
  return <>{formatDuration(seconds * 1_000, useLocale())}</>;
}

function Count({ count }: { count: number }) {
  return <>{useFormatter().number(count)}</>;
}
