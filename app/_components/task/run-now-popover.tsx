"use client";

import { useTranslations } from "next-intl";
import { ActionPopover } from "./action-popover.tsx";
import type { TaskActions } from "./use-task-actions.ts";

export function RunNowPopover({ actions }: { actions: TaskActions }) {
  const t = useTranslations("act");
  return (
    <ActionPopover
      isPrimary
      trigger={t("runNow")}
      title={t("runNowTitle")}
      text={t("runNowText")}
      confirm={t("confirmRunNow")}
      isWorking={actions.isWorking}
      act={(reason) => actions.runNow({ reason })}
    />
  );
}
