"use client";

import { useTranslations } from "next-intl";
import { type SubmitEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { formatJson } from "../../_json/format-json.ts";
import { isJson } from "../../_json/scan-json.ts";
import type { ArchivedTaskAnswer } from "../../_server/archived-task.ts";
import type { PayloadAnswer } from "../../_server/read-payload.ts";
import type { ReplayCheck } from "../../_server/replay-task.ts";
import { useRefreshHold } from "../refresh.tsx";
import { useStillQuery } from "../use-still-query.ts";
import { visibleText } from "../visible-text.ts";
import { payloadPath } from "./archived-payload.tsx";
import { PayloadEdit } from "./payload-edit.tsx";
import { ReplayObstacle } from "./replay-obstacle.tsx";
import { useReplay } from "./use-replay.ts";

const REASON_CHARACTERS_MAX = 500;

/**
 * Asks before a new task is made from an archived one: looks for a live task with the same key first, wants a second yes
 * for one that succeeded, and takes another payload with what it changes in view. Escape leaves everything as it is.
 */
export function ReplayDialog({ task, close }: { task: ArchivedTaskAnswer["task"]; close: () => void }) {
  const t = useTranslations("replay");
  const ids = { title: useId(), text: useId(), reason: useId(), hint: useId(), payload: useId() };
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState("");
  const [isConfirmed, setConfirmed] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const [edited, setEdited] = useState<string>();
  const query = new URLSearchParams({ archivedAt: task.archivedAt }).toString();
  const check = useStillQuery<ReplayCheck>(`/api/v1/archive/${task.id}/replay-check?${query}`);
  const payload = useStillQuery<PayloadAnswer>(payloadPath(task), { enabled: isEditing });
  const { isSending, replay } = useReplay(task);
  useRefreshHold();
  // Closed before it leaves the document: only then does the browser give the focus back to where it was.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
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
  const facts = [
    [t("eventType"), visibleText(task.eventType)],
    [t("bizKey"), visibleText(task.bizKey)],
    [t("id"), task.id],
  ] as const;
  return (
    <dialog
      ref={dialog}
      aria-labelledby={ids.title}
      aria-describedby={ids.text}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      className="card fixed m-auto max-h-[calc(100dvh-24px)] w-[min(560px,calc(100vw-24px))] overflow-auto text-ink shadow-2xl"
    >
      <form onSubmit={(event) => void submit(event)} className="grid gap-3 p-5">
        <h2 id={ids.title} className="text-lg font-semibold">
          {t("title")}
        </h2>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-md bg-soft px-3 py-2">
          {facts.map(([name, value]) => (
            <div key={name} className="col-span-2 grid grid-cols-subgrid">
              <dt className="text-ink-2">{name}</dt>
              <dd dir="auto" className="max-h-24 overflow-auto font-mono text-xs leading-5 wrap-anywhere">
                {value}
              </dd>
            </div>
          ))}
        </dl>
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
        <div className="grid gap-1">
          <label htmlFor={ids.reason} className="text-ink-2">
            {t("reason")}
          </label>
          <textarea
            id={ids.reason}
            aria-describedby={ids.hint}
            autoFocus
            rows={2}
            maxLength={REASON_CHARACTERS_MAX}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
            className="resize-y rounded-md border border-line bg-page px-2.5 py-1.5"
          />
          <p id={ids.hint} className="text-xs text-ink-3">
            {t("reasonHint")}
          </p>
        </div>
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
    </dialog>
  );
}
