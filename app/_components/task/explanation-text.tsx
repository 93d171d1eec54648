"use client";

import { useTranslations } from "next-intl";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { LiteralText } from "../literal-text.tsx";
import { useEngineError } from "../use-engine-error.ts";
import { visibleText } from "../visible-text.ts";
import { errorParts } from "./error-parts.ts";
import { useTimeTexts } from "./use-time-texts.ts";

type Explanation = TaskAnswer["explanation"];
type Hold = NonNullable<Extract<Explanation, { code: "delayed" }>["params"]["hold"]>;

/** Why the task is not running now, or that it is, and its last error in one line. */
export function ExplanationText({ answer }: { answer: TaskAnswer }) {
  const t = useTranslations("explain");
  const engineError = useEngineError();
  const sentence = useExplanation(answer.explanation);
  const { lastError, status } = answer.task;
  const isOpen = status === "failed" || status === "pending" || status === "running";
  return (
    <section
      className={`card grid gap-1 px-4 py-3 text-base ${status === "failed" ? "border-s-4 border-s-failed-fill" : ""}`}
    >
      <p className="wrap-anywhere">{sentence}</p>
      {isOpen && lastError !== undefined && (
        <p className="flex min-w-0 gap-x-2 text-ink-2 max-sm:flex-wrap">
          <span className="shrink-0">{t("lastError")}</span>
          <LiteralText
            text={engineError(errorParts(lastError).headline)}
            className="font-mono text-xs leading-[22px] text-failed max-sm:whitespace-normal max-sm:wrap-anywhere"
          />
        </p>
      )}
    </section>
  );
}

function useExplanation({ code, params }: Explanation): string {
  const t = useTranslations("explain");
  const texts = useTimeTexts();
  const type = visibleText(params.eventType ?? "");
  const holdText = (hold: Hold): string => {
    switch (hold.kind) {
      case "paused":
        return t("holdPaused", { type, reason: hold.reason === undefined ? t("noReason") : visibleText(hold.reason) });
      case "no_worker":
        return hold.livingWorkers === 0 ? t("holdNoneAlive") : t("holdNoTaker", { count: hold.livingWorkers, type });
      case "pools_full":
        return t("holdFull", { ...hold, type });
    }
  };
  switch (code) {
    case "not_live":
    case "archived":
      return "";
    case "succeeded":
      return params.isSkipped
        ? t("skipped", { at: texts.instant(params.at) })
        : t("succeeded", { at: texts.instant(params.at) });
    case "cancelled":
      return t("cancelled", { at: texts.instant(params.at) });
    case "failed": {
      const at = texts.instant(params.at);
      const count = params.retryCount;
      const max = params.maxRetryCount;
      if (params.reason === "exhausted") return t("exhausted", { count, max, at });
      if (params.reason === "non_retryable") return t("nonRetryable", { at });
      if (params.reason === "abandoned") return t("abandoned", { at, count: params.recycleCount });
      return t("failedOther", { at, count, max });
    }
    case "unknown_status":
      return t("unknownStatus", { status: params.statusCode });
    case "running": {
      const values = {
        duration: texts.duration(params.runningMs),
        at: texts.instant(params.since),
        owner: visibleText(params.owner),
        host: visibleText(params.host),
        pid: String(params.pid),
      };
      return params.isDraining ? t("draining", values) : t("running", values);
    }
    case "owner_dead": {
      const owner = visibleText(params.owner);
      return params.hasRecycler
        ? t("ownerDead", { owner, within: texts.duration(params.withinMs) })
        : t("ownerDeadAlone", { owner, type });
    }
    case "owner_unknown": {
      const owner = params.owner === undefined ? t("noOwner") : visibleText(params.owner);
      return params.hasRecycler
        ? t("ownerUnknown", { owner, within: texts.duration(params.withinMs) })
        : t("ownerUnknownAlone", { owner, type });
    }
    case "delayed": {
      const values = {
        next: params.retryCount + 1,
        max: params.maxRetryCount,
        in: texts.duration(params.inMs),
        at: texts.instant(params.until),
      };
      return params.hold ? t("delayedHold", { ...values, hold: holdText(params.hold) }) : t("delayed", values);
    }
    case "paused":
      return t("held", { hold: holdText({ kind: "paused", reason: params.reason }) });
    case "no_worker":
      return t("held", { hold: holdText({ kind: "no_worker", livingWorkers: params.livingWorkers }) });
    case "pools_full":
      return t("held", { hold: holdText({ ...params, kind: "pools_full" }) });
    case "due": {
      const within = texts.duration(params.withinMs);
      return params.overdueMs >= 1_000
        ? t("overdue", { overdue: texts.duration(params.overdueMs), within })
        : t("due", { within });
    }
  }
}
