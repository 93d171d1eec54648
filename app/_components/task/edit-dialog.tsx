"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useTranslations } from "next-intl";
import { type KeyboardEvent, type SubmitEvent, useDeferredValue, useId, useMemo, useState } from "react";
import { formatJson } from "../../_json/format-json.ts";
import { JsonSyntaxError, scanJson } from "../../_json/scan-json.ts";
import type { ApiError } from "../api-client.ts";
import type { PayloadAnswer } from "../../_server/read-payload.ts";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { useRefreshHold } from "../refresh.tsx";
import { PayloadDiff } from "./payload-diff.tsx";
import type { TaskActions } from "./use-task-actions.ts";

interface Editing {
  readonly task: TaskAnswer["task"];
  readonly payload: PayloadAnswer;
  readonly actions: TaskActions;
}

/** Another payload for a failed task: edited as text, checked as JSON, shown as a difference, then stored and reset in one. */
export function EditDialog(props: Editing) {
  const t = useTranslations("payload");
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => setOpen(open)} disablePointerDismissal>
      <Dialog.Trigger className="button">{t("edit")}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-20 bg-[rgb(15_23_42/0.45)]" />
        <Dialog.Popup className="card fixed inset-2 z-20 m-auto h-fit max-h-[calc(100dvh-16px)] max-w-4xl overflow-auto text-ink shadow-2xl focus:outline-none sm:inset-6">
          <EditForm {...props} close={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function EditForm({ task, payload, actions, close }: Editing & { close: () => void }) {
  const t = useTranslations("payload");
  const act = useTranslations("act");
  const problems = useTranslations("problem");
  const ids = { text: useId(), reason: useId(), problem: useId() };
  const stored = payload.text ?? "";
  const [text, setText] = useState(stored);
  const [reason, setReason] = useState("");
  const [refused, setRefused] = useState<ApiError["code"]>();
  const checked = useDeferredValue(text);
  const problem = useMemo(() => (payload.isJson ? syntaxProblem(checked) : undefined), [payload.isJson, checked]);
  useRefreshHold();
  const isReady = !actions.isWorking && problem === undefined && text !== stored && reason.trim() !== "";
  const submit = async (event: SubmitEvent | KeyboardEvent) => {
    event.preventDefault();
    if (!isReady || payload.hash === undefined) return;
    setRefused(undefined);
    const seen = { status: String(task.status), claimNo: task.claimNo };
    if (await actions.edit({ payload: text, basedOn: payload.hash, reason, seen }, setRefused)) close();
  };
  return (
    <form
      onSubmit={(event) => void submit(event)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit(event);
      }}
      className="grid gap-3 p-5"
    >
      <Dialog.Title className="text-lg font-semibold">{t("editTitle")}</Dialog.Title>
      <Dialog.Description className="text-ink-2">{t("editText")}</Dialog.Description>
      <div className="grid gap-1">
        <div className="flex items-end justify-between gap-2">
          <label htmlFor={ids.text} className="text-ink-2">
            {t("editLabel")}
          </label>
          {payload.isJson && (
            <button
              type="button"
              className="button"
              aria-disabled={problem !== undefined}
              onClick={() => problem === undefined && setText(formatJson(text))}
            >
              {t("format")}
            </button>
          )}
        </div>
        <textarea
          id={ids.text}
          aria-describedby={ids.problem}
          aria-invalid={problem !== undefined}
          rows={10}
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="resize-y rounded-md border border-line bg-page px-2.5 py-1.5 font-mono text-xs leading-5 wrap-anywhere"
        />
        <p id={ids.problem} role="status" className="min-h-5 text-failed">
          {problem && t("editInvalid", problem)}
        </p>
      </div>
      {problem === undefined && <PayloadDiff before={stored} after={checked} isJson={payload.isJson} />}
      <div className="grid gap-1">
        <label htmlFor={ids.reason} className="text-ink-2">
          {act("reasonRequired")}
        </label>
        <input
          id={ids.reason}
          required
          maxLength={500}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
          className="rounded-md border border-line bg-page px-2.5 py-1.5"
        />
      </div>
      {refused && (
        <p role="alert" className="rounded-md bg-failed-tint px-3 py-2 text-failed">
          {refused === "network" ? act("unknown", { id: task.id }) : problems(`${refused}`)}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Dialog.Close className="button min-h-8">{act("keep")}</Dialog.Close>
        <button type="submit" className="button button-primary min-h-8" aria-disabled={!isReady}>
          {actions.isWorking ? act("working") : t("confirmEdit")}
        </button>
      </div>
    </form>
  );
}

/** Where the text stops being JSON, from 1. */
function syntaxProblem(text: string): { line: number; column: number } | undefined {
  try {
    scanJson(text, {});
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const before = text.slice(0, error.position).split("\n");
    return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
  }
}
