"use client";

import { useLocale, useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import type { PayloadAnswer } from "../../_server/read-payload.ts";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { useMay } from "../account/asker.tsx";
import { ApiError, getJson, postJson } from "../api-client.ts";
import { BASE_PATH } from "../base-path.ts";
import { ProblemMessage } from "../live-card.tsx";
import { useNotify } from "../notices.tsx";
import { ActionPopover } from "./action-popover.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { PayloadView } from "./payload-view.tsx";
import { sizeText } from "./size-text.ts";
import { TaskSection } from "./task-section.tsx";
import type { TaskActions } from "./use-task-actions.ts";

const AUTO_LOAD_BYTES_MAX = 64 * 1024;
const SHOWN_BYTES_MAX = 512 * 1024;
const EDIT_BYTES_MAX = 64 * 1024;

/** The payload: loaded when it is small or asked for, masked unless somebody reveals it with a reason. */
export function PayloadCard({ answer, actions }: { answer: TaskAnswer; actions: TaskActions }) {
  const { task } = answer;
  const t = useTranslations("payload");
  const act = useTranslations("act");
  const problems = useTranslations("problem");
  const locale = useLocale();
  const notify = useNotify();
  const mayReveal = useMay("payload.reveal");
  const mayEdit = useMay("tasks.edit");
  const isShowable = task.payloadBytes <= SHOWN_BYTES_MAX;
  const [isWanted, setWanted] = useState(task.payloadBytes <= AUTO_LOAD_BYTES_MAX);
  const { payload, error, reload } = usePayload(task.id, isWanted && isShowable);
  const [revealed, setRevealed] = useState<PayloadAnswer>();
  const shown = revealed ?? payload;
  const [isWorking, setWorking] = useState(false);
  const reveal = async (reason: string): Promise<boolean> => {
    setWorking(true);
    try {
      setRevealed(await postJson<PayloadAnswer>(`/api/v1/tasks/${task.id}/payload/reveal`, { reason }));
      return true;
    } catch (failure) {
      const code = failure instanceof ApiError ? failure.code : "unexpected";
      notify("problem", act("failed", { id: task.id, problem: problems(`${code}`) }));
      return false;
    } finally {
      setWorking(false);
    }
  };
  const isHidden = shown !== undefined && shown.text === undefined && !shown.isTooLarge;
  const canReveal = mayReveal && shown !== undefined && !shown.isRevealed && (isHidden || shown.masked.length > 0);
  const isEditable = mayEdit && task.status === "failed" && shown?.hash !== undefined && shown.text !== undefined;
  return (
    <TaskSection
      title={t("title")}
      hint={sizeText(task.payloadBytes, locale)}
      aside={
        <>
          {shown?.isRevealed && (
            <button type="button" className="button" onClick={() => setRevealed(undefined)}>
              {t("hide")}
            </button>
          )}
          {canReveal && (
            <ActionPopover
              trigger={t("reveal")}
              title={t("revealTitle")}
              text={t("revealText")}
              confirm={t("confirmReveal")}
              isReasonRequired
              isWorking={isWorking}
              act={reveal}
            />
          )}
          {isEditable && task.payloadBytes <= EDIT_BYTES_MAX && (
            <EditDialog key={shown.hash} task={task} payload={shown} actions={actions} />
          )}
          {(!isShowable || shown?.isJson) && (
            <a className="button" href={`${BASE_PATH}/api/v1/tasks/${task.id}/payload/download`} download>
              {t("download")}
            </a>
          )}
        </>
      }
    >
      {!isShowable ? (
        <p className="px-4 py-3 text-ink-2">{t("tooLarge")}</p>
      ) : error ? (
        <ProblemMessage error={error} retry={reload} />
      ) : isHidden ? (
        <p className="px-4 py-3 text-warn">{t("hidden")}</p>
      ) : shown?.text !== undefined ? (
        <>
          {task.status === "failed" && task.payloadBytes > EDIT_BYTES_MAX && (
            <p className="px-4 pt-2 text-xs text-ink-3">{t("editTooLarge")}</p>
          )}
          <PayloadView key={String(shown.isRevealed)} payload={shown} text={shown.text} />
        </>
      ) : isWanted ? (
        <p role="status" className="px-4 py-3 text-ink-3">
          {t("loading")}
        </p>
      ) : (
        <div className="px-4 py-3">
          <button type="button" className="button" onClick={() => setWanted(true)}>
            {t("load")}
          </button>
        </div>
      )}
    </TaskSection>
  );
}

/** Loaded once, not kept fresh: it changes only when a failed task is edited, and whatever ends that state makes a new card. */
function usePayload(id: string, isWanted: boolean) {
  const [payload, setPayload] = useState<PayloadAnswer>();
  const [error, setError] = useState<ApiError>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!isWanted) return;
    const leave = new AbortController();
    getJson<PayloadAnswer>(`/api/v1/tasks/${id}/payload`, leave.signal).then(
      (answer) => {
        setError(undefined);
        setPayload(answer);
      },
      (failure: unknown) => {
        if (!leave.signal.aborted)
          setError(failure instanceof ApiError ? failure : new ApiError({ code: "unexpected" }));
      },
    );
    return () => leave.abort();
  }, [id, isWanted, tries]);
  return { payload, error, reload: () => setTries((count) => count + 1) };
}
