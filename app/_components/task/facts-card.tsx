"use client";

import { useLocale, useTranslations } from "next-intl";
import Link from "next/link";
import type { ReactNode } from "react";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { visibleText } from "../visible-text.ts";
import { sizeText } from "./size-text.ts";
import { TaskSection } from "./task-section.tsx";
import { useTimeTexts } from "./use-time-texts.ts";

const REASONS = ["success", "skipped", "exhausted", "non_retryable", "abandoned", "cancelled"] as const;

/** Every column of the task with what it means; the payload has a card of its own. */
export function FactsCard({ answer: { task, type } }: { answer: TaskAnswer }) {
  const t = useTranslations("task");
  const reasons = useTranslations("endReason");
  const locale = useLocale();
  const texts = useTimeTexts();
  const none = <span className="font-sans text-ink-3">{t("none")}</span>;
  const text = (value: string | undefined) => (value === undefined ? none : visibleText(value));
  const instant = (value: string | undefined) =>
    value === undefined ? (
      none
    ) : (
      <time dateTime={value} title={texts.utc(value)}>
        {texts.instant(value)}
      </time>
    );
  const reason = REASONS.find((one) => one === task.finishReason);
  const facts: readonly (readonly [name: string, value: ReactNode, isCode?: boolean])[] = [
    [t("factFailures"), t("factFailuresValue", { count: task.retryCount, max: task.maxRetryCount })],
    [t("factRecycles"), t("factRecyclesValue", { count: task.recycleCount, max: type.maxRecycles })],
    [t("factReason"), reason ? reasons(`${reason}`) : text(task.finishReason)],
    [t("factNext"), instant(task.nextRetryAt)],
    [t("factCreated"), instant(task.createdAt)],
    [t("factOrigin"), text(task.origin)],
    [t("factStarted"), instant(task.startedAt)],
    [t("factFinished"), instant(task.finishedAt)],
    [t("factUpdated"), instant(task.updatedAt)],
    [t("factOwner"), text(task.owner), true],
    [t("factIp"), text(task.ip), true],
    [t("factClaim"), String(task.claimNo)],
    [t("factStatus"), String(task.statusCode)],
    [t("factPayload"), sizeText(task.payloadBytes, locale)],
    [
      t("factFingerprint"),
      task.errorFingerprint === undefined ? (
        none
      ) : (
        <Link
          href={`/tasks?cause=${encodeURIComponent(task.errorFingerprint)}`}
          prefetch={false}
          className="text-accent hover:underline"
        >
          {visibleText(task.errorFingerprint)}
        </Link>
      ),
      true,
    ],
    [t("factTrace"), text(task.traceParent), true],
    [
      t("factParent"),
      task.parentId === undefined ? (
        none
      ) : (
        <Link href={`/tasks/${task.parentId}`} prefetch={false} className="text-accent hover:underline">
          {task.parentId}
        </Link>
      ),
      true,
    ],
  ];
  return (
    <TaskSection title={t("facts")}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 px-4 py-3">
        {facts.map(([name, value, isCode]) => (
          <div key={name} className="col-span-2 grid grid-cols-subgrid">
            <dt className="text-ink-2">{name}</dt>
            <dd dir="auto" className={`wrap-anywhere ${isCode ? "font-mono text-xs leading-5" : ""}`}>
              {value}
            </dd>
          </div>
        ))}
      </dl>
      {!type.isRegistered && <p className="border-t border-soft px-4 py-2 text-warn">{t("unregistered")}</p>}
    </TaskSection>
  );
}
