"use client";

import { useTranslations } from "next-intl";
import { type SubmitEvent, useId, useState } from "react";
import { formatJson } from "../../_json/format-json.ts";
import { isJson } from "../../_json/scan-json.ts";
import type { ArchivedTaskAnswer } from "../../_server/archived-task.ts";
import type { PayloadAnswer } from "../../_server/read-payload.ts";
import type { ReplayCheck } from "../../_server/replay-task.ts";
import { Modal } from "../modal.tsx";
import { ReasonField } from "../reason-field.tsx";
import { TaskIdentity } from "../task-identity.tsx";
import { useStillQuery } from "../use-still-query.ts";
import { visibleText } from "../visible-text.ts";
import { payloadPath } from "./archived-payload.tsx";
import { PayloadEdit } from "./payload-edit.tsx";
import { ReplayObstacle } from "./replay-obstacle.tsx";
import { useReplay } from "./use-replay.ts";

/**
 * Asks before a new task is made from an archived one: looks for a live task with the same key first, wants a second yes
 * for one that succeeded, and takes another payload with what it changes in view. Escape leaves everything as it is.
 */
export function ReplayDialog({ task, close }: { task: ArchivedTaskAnswer["task"]; close: () => void }) {
  const t = useTranslations("replay");
  const ids = { text: useId(), payload: useId() };
  const [reason, setReason] = useState("");
  const [isConfirmed, setConfirmed] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const [edited, setEdited] = useState<string>();
  const query = new URLSearchParams({ archivedAt: task.archivedAt }).toString();
  const check = useStillQuery<ReplayCheck>(`/api/v1/archive/${task.id}/replay-check?${query}`);
  const payload = useStillQuery<PayloadAnswer>(payloadPath(task), { enabled: isEditing });
  const { isSending, replay } = useReplay(task);
  const archived = payload.data?.text;
  const draft = edited ?? (archived === undefined ? undefined : formatJson(archived));
  const wasSuccessful = check.data?.wasSuccessful ?? task.status === "succeeded";
  const isClear = check.data !== undefined && check.data.twin === undefined && !check.isFetching;
  const isReady =
    isClear && !isSending && (!wasSuccessful || isConfirmed) && (!isEditing || (draft !== undefined && isJson(draft)));
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!isReady) return;
    const wish = { reason, payload: isEditing ? draft : undefined, confirmSucceeded: wasSuccessful && isConfirmed };
    if (await replay(wish)) close();
  };
  return (
    <Modal title={t("title")} describedBy={ids.text} close={close} place="wide">
      <form onSubmit={(event) => void submit(event)} className="grid gap-3">
        <TaskIdentity
          facts={[
            [t("eventType"), visibleText(task.eventType)],
            [t("bizKey"), visibleText(task.bizKey)],
            [t("id"), task.id],
          ]}
        />
        <p id={ids.text}>{t("consequence")}</p>
        <ReplayObstacle check={check} />
        {wasSuccessful && (
          <div className="grid gap-2 rounded-md bg-failed-tint px-3 py-2 text-failed">
            <p className="font-medium">{t("succeeded")}</p>
            <label className="flex items-center gap-2">
              <input
                type="checkbox"
                checked={isConfirmed}
                onChange={({ target }) => setConfirmed(target.checked)}
                className="size-4"
              />
              {t("confirmSucceeded")}
            </label>
          </div>
        )}
        <fieldset className="flex flex-wrap gap-x-5 gap-y-1">
          <legend className="mb-1 text-ink-2">{t("payload")}</legend>
          {[false, true].map((choice) => (
            <label key={String(choice)} className="flex min-h-6 items-center gap-2">
              <input
                type="radio"
                name={ids.payload}
                checked={isEditing === choice}
                onChange={() => setEditing(choice)}
              />
              {choice ? t("edited") : t("same")}
            </label>
          ))}
        </fieldset>
        {isEditing &&
          (archived !== undefined && draft !== undefined ? (
            <PayloadEdit
              archived={archived}
              hasMasks={(payload.data?.masked.length ?? 0) > 0}
              value={draft}
              change={setEdited}
            />
          ) : (
            <p role="status" className="text-ink-3">
              {payload.isFetching ? t("loading") : t("notEditable")}
            </p>
          ))}
        <ReasonField label={t("reason")} hint={t("reasonHint")} value={reason} change={setReason} />
        <div className="flex justify-end gap-2">
          <button type="button" className="button min-h-8" onClick={close}>
            {t("cancel")}
          </button>
          <button
            type="submit"
            disabled={!isReady}
            className={`button min-h-8 ${wasSuccessful ? "button-danger" : "button-primary"}`}
          >
            {isSending ? t("sending") : wasSuccessful ? t("confirmAgain") : t("confirm")}
          </button>
        </div>
      </form>
    </Modal>
  );
}
