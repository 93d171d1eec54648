"use client";

import { useTranslations } from "next-intl";
import { type KeyboardEvent, type SubmitEvent, useId, useState } from "react";
import type { FailedTaskItem } from "../_server/list-failed-tasks.ts";
import { Modal } from "./modal.tsx";
import { ReasonField } from "./reason-field.tsx";
import { TaskIdentity } from "./task-identity.tsx";
import { visibleText } from "./visible-text.ts";

/** Asks before one task is reset: says which, what will happen, and takes a reason. Escape leaves everything as it is. */
export function ResetDialog(props: { task: FailedTaskItem; confirm: (reason: string) => void; close: () => void }) {
  const { task, close } = props;
  const t = useTranslations("reset");
  const textId = useId();
  const [reason, setReason] = useState("");
  const submit = (event: SubmitEvent | KeyboardEvent) => {
    event.preventDefault();
    props.confirm(reason);
  };
  return (
    <Modal title={t("title")} describedBy={textId} close={close}>
      <form onSubmit={submit} className="grid gap-3">
        <TaskIdentity
          facts={[
            [t("eventType"), visibleText(task.eventType)],
            [t("bizKey"), visibleText(task.bizKey)],
            [t("id"), task.id],
            [t("attempts"), `${task.retryCount}/${task.maxRetryCount}`],
          ]}
        />
        <p id={textId}>{t("consequence")}</p>
        {task.finishReason === "abandoned" && (
          <p className="rounded-md bg-warn-tint px-3 py-2 text-warn">{t("abandoned")}</p>
        )}
        <ReasonField label={t("reason")} hint={t("reasonHint")} value={reason} change={setReason} submit={submit} />
        <div className="flex justify-end gap-2">
          <button type="button" className="button min-h-8" onClick={close}>
            {t("cancel")}
          </button>
          <button type="submit" className="button button-primary min-h-8">
            {t("confirm")}
          </button>
        </div>
      </form>
    </Modal>
  );
}
