"use client";

import { useTranslations } from "next-intl";
import type { TaskStatus } from "../../../db/schema/task-status.ts";
import type { ProblemCode } from "../../_server/console-error.ts";
import { Icon } from "../icons.tsx";

/** An action that the server refused because the task is not what the page showed. */
export interface Conflict {
  readonly code: ProblemCode;
  readonly taskStatus: TaskStatus | undefined;
}

/** Says that nothing was changed and why, until it is dismissed; the page around it shows the fresh state. */
export function ConflictPanel({ conflict, dismiss }: { conflict: Conflict; dismiss?: () => void }) {
  const t = useTranslations("act");
  const problems = useTranslations("problem");
  const status = useTranslations("status");
  const problem = problems(`${conflict.code}`);
  return (
    <section role="alert" className="card flex flex-wrap items-center gap-3 border-warn/40 bg-warn-tint px-4 py-2.5">
      <Icon name="warning" className="size-4 text-warn" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold text-warn">{t("conflictTitle")}</p>
        <p>
          {conflict.taskStatus ? t("conflictNow", { problem, status: status(`${conflict.taskStatus}`) }) : problem}{" "}
          {dismiss && <span className="text-ink-2">{t("conflictHint")}</span>}
        </p>
      </div>
      {dismiss && (
        <button type="button" className="button" onClick={dismiss}>
          {t("dismiss")}
        </button>
      )}
    </section>
  );
}
