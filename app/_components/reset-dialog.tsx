"use client";

import { useTranslations } from "next-intl";
import { type SubmitEvent, type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from "react";
import type { FailedTaskItem } from "../_server/list-failed-tasks.ts";
import { useRefreshHold } from "./refresh.tsx";
import { visibleText } from "./visible-text.ts";

const REASON_CHARACTERS_MAX = 500;

/** Asks before one task is reset: says which, what will happen, and takes a reason. Escape leaves everything as it is. */
export function ResetDialog(props: { task: FailedTaskItem; confirm: (reason: string) => void; close: () => void }) {
  const { task, close } = props;
  const t = useTranslations("reset");
  const ids = { title: useId(), text: useId(), reason: useId(), hint: useId() };
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState("");
  useRefreshHold();
  // Closed before it leaves the document: only then does the browser give the focus back to where it was.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  const submit = (event: SubmitEvent | KeyboardEvent) => {
    event.preventDefault();
    props.confirm(reason);
  };
  const facts = [
    [t("eventType"), visibleText(task.eventType)],
    [t("bizKey"), visibleText(task.bizKey)],
    [t("id"), task.id],
    [t("attempts"), `${task.retryCount}/${task.maxRetryCount}`],
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
      className="card fixed m-auto w-[min(480px,calc(100vw-24px))] overflow-hidden text-ink shadow-2xl"
    >
      <form onSubmit={submit} className="grid gap-3 p-5">
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
        {task.finishReason === "abandoned" && (
          <p className="rounded-md bg-warn-tint px-3 py-2 text-warn">{t("abandoned")}</p>
        )}
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
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
            }}
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
          <button type="submit" className="button button-primary min-h-8">
            {t("confirm")}
          </button>
        </div>
      </form>
    </dialog>
  );
}
