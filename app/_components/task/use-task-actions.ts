"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useRef, useState } from "react";
import type { ResetAnswer } from "../../_server/reset-task.ts";
import { ApiError, postJson } from "../api-client.ts";
import { useNotify } from "../notices.tsx";
import { useResetNotice } from "../use-reset-notice.ts";
import type { Conflict } from "./conflict-panel.tsx";

/** What a person saw of the task when pressing. */
export interface Seen {
  readonly status: string;
  readonly claimNo: number;
}

export interface ResetRequest {
  readonly reason: string;
  readonly seen: Seen;
  readonly delaySeconds?: number | undefined;
  readonly runAt?: string | undefined;
}

/** Each answers whether it was done. A second press while one is on its way does nothing. */
export interface TaskActions {
  readonly isWorking: boolean;
  readonly reset: (request: ResetRequest) => Promise<boolean>;
  readonly cancel: (request: { readonly reason: string; readonly seen: Seen }) => Promise<boolean>;
  readonly runNow: (request: { readonly reason: string }) => Promise<boolean>;
  /** What is wrong with the new payload is told to `refused`: a message beside a modal dialog is out of reach. */
  readonly edit: (
    request: { readonly payload: string; readonly basedOn: string; readonly reason: string; readonly seen: Seen },
    refused: (code: ApiError["code"]) => void,
  ) => Promise<boolean>;
}

/** The task is not what the page showed; the panel says what it is. */
const CONFLICTS: ReadonlySet<string> = new Set([
  ...["task_not_failed", "task_changed", "task_not_waiting", "task_not_pending", "task_already_due", "undo_too_late"],
  ...["task_archived", "task_not_found"],
]);

function isTaskList(path: unknown): boolean {
  return typeof path === "string" && /^\/api\/v1\/tasks(?:\?|$)/.test(path);
}

/** What can be done with one task. Nothing is shown as done before the server has said so. */
export function useTaskActions(id: string, setConflict: (conflict: Conflict | undefined) => void): TaskActions {
  const queryClient = useQueryClient();
  const notify = useNotify();
  const t = useTranslations("act");
  const notice = useTranslations("notice");
  const problem = useTranslations("problem");
  const isInFlight = useRef(false);
  const [isWorking, setWorking] = useState(false);

  const tell = (code: ApiError["code"]) =>
    notify("problem", code === "network" ? t("unknown", { id }) : t("failed", { id, problem: problem(`${code}`) }));

  const run = async (
    verb: string,
    body: unknown,
    done: (answer: ResetAnswer) => void,
    refused: (code: ApiError["code"]) => void = tell,
  ): Promise<boolean> => {
    if (isInFlight.current) return false;
    isInFlight.current = true;
    setWorking(true);
    setConflict(undefined);
    try {
      const answer = await postJson<ResetAnswer>(`/api/v1/tasks/${id}/${verb}`, body);
      done(answer);
      return true;
    } catch (error) {
      const code = error instanceof ApiError ? error.code : "unexpected";
      if (code !== "network" && CONFLICTS.has(code)) {
        setConflict({ code, taskStatus: error instanceof ApiError ? error.taskStatus : undefined });
      } else refused(code);
      // What was typed is kept only where it can still be used.
      return CONFLICTS.has(code);
    } finally {
      isInFlight.current = false;
      setWorking(false);
      // An answer that was asked before the change must not come after it.
      await queryClient.cancelQueries();
      // A list beside the task keeps its rows in place, and learns by its own refresh what became of them.
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => !isTaskList(queryKey[0]) });
    }
  };

  const tellReset = useResetNotice((_, undoToken) =>
    run("undo-reset", { undoToken }, () => notify("done", notice("undone", { id }))),
  );

  return {
    isWorking,
    reset: (request) =>
      run("reset", request, (answer) =>
        tellReset(id, answer, { isLater: request.delaySeconds !== undefined || request.runAt !== undefined }),
      ),
    cancel: (request) => run("cancel", request, () => notify("done", t("doneCancel", { id }))),
    runNow: (request) => run("run-now", request, () => notify("done", t("doneRunNow", { id }))),
    edit: (request, refused) => run("edit-retry", request, () => notify("done", t("doneEdit", { id })), refused),
  };
}
