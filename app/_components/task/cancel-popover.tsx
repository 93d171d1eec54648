"use client";

import { useTranslations } from "next-intl";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { ActionPopover } from "./action-popover.tsx";
import type { TaskActions } from "./use-task-actions.ts";

export function CancelPopover({ task, actions }: { task: TaskAnswer["task"]; actions: TaskActions }) {
  const t = useTranslations("act");
  return (
    <ActionPopover
      trigger={t("cancel")}
      title={t("cancelTitle")}
      text={t("cancelText")}
      confirm={t("confirmCancel")}
      isWorking={actions.isWorking}
      act={(reason) => actions.cancel({ reason, seen: { status: String(task.status), claimNo: task.claimNo } })}
    />
  );
}
