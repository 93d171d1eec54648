"use client";

import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { describeZone } from "../format-time.ts";
import { Segmented } from "../segmented.tsx";
import { useZone } from "../zone.tsx";
import { ActionPopover } from "./action-popover.tsx";
import type { TaskActions } from "./use-task-actions.ts";
import { useTimeTexts } from "./use-time-texts.ts";

type When = "now" | "soon" | "pick";

const SOON_SECONDS = 600;

/** A new start for a failed task: what will be written, when it runs, and what is uncertain about its last attempt. */
export function ResetPopover({ answer, actions }: { answer: TaskAnswer; actions: TaskActions }) {
  const { task, plan, lastAttempt } = answer;
  const t = useTranslations("act");
  const status = useTranslations("status");
  const texts = useTimeTexts();
  const { timeZone = "UTC", choice } = useZone();
  const pickId = useId();
  const [when, setWhen] = useState<When>("now");
  const [picked, setPicked] = useState("");
  const whenText = { now: t("whenNowText"), soon: t("whenSoonText"), pick: t("whenPickText") };
  const instant = new Date(choice === "utc" ? `${picked}Z` : picked);
  const isPicked = !Number.isNaN(instant.getTime());
  const due = { now: {}, soon: { delaySeconds: SOON_SECONDS }, pick: isPicked ? { runAt: instant.toISOString() } : {} };
  return (
    <ActionPopover
      isPrimary
      shortcut="r"
      trigger={t("reset")}
      title={t("resetTitle")}
      confirm={t("confirmReset")}
      isWorking={actions.isWorking || (when === "pick" && !isPicked)}
      act={(reason) =>
        actions.reset({ reason, seen: { status: String(task.status), claimNo: task.claimNo }, ...due[when] })
      }
    >
      <div className="grid gap-1 rounded-md bg-soft px-3 py-2">
        <p className="text-xs text-ink-2">{t("resetWrites")}</p>
        <ul className="grid gap-0.5">
          <li>{t("resetState", { from: status(`${task.status ?? "failed"}`) })}</li>
          <li>{t("resetCounts", { count: task.retryCount, recycles: task.recycleCount })}</li>
          <li>
            {t("resetDue", {
              when: when === "pick" && isPicked ? texts.instant(instant.toISOString()) : whenText[when],
            })}
          </li>
        </ul>
        {plan.roundMs !== undefined && plan.roundMs > 0 && (
          <p className="text-ink-2">{t("resetRound", { duration: texts.duration(plan.roundMs) })}</p>
        )}
      </div>
      {lastAttempt?.kind === "recycled" && (
        <p className="rounded-md bg-warn-tint px-3 py-2 text-warn">{t("riskRecycled")}</p>
      )}
      {lastAttempt?.isTimeout && <p className="rounded-md bg-warn-tint px-3 py-2 text-warn">{t("riskTimeout")}</p>}
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-ink-2">{t("when")}</span>
        <Segmented<When>
          label={t("when")}
          value={when}
          choose={setWhen}
          segments={[
            { value: "now", content: t("whenNow") },
            { value: "soon", content: t("whenSoon") },
            { value: "pick", content: t("whenPick") },
          ]}
        />
        {when === "pick" && (
          <span className="flex flex-wrap items-center gap-2">
            <label htmlFor={pickId} className="text-xs text-ink-3">
              {t("whenAt", { zone: describeZone(timeZone, new Date(answer.asOf)) })}
            </label>
            <input
              id={pickId}
              type="datetime-local"
              step={1}
              value={picked}
              onChange={({ target }) => setPicked(target.value)}
              className="rounded-md border border-line bg-page px-2 py-0.5"
            />
          </span>
        )}
      </div>
    </ActionPopover>
  );
}
