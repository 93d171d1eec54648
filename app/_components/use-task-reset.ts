"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useRef, useState } from "react";
import type { FailedTaskItem, FailedTaskPage } from "../_server/list-failed-tasks.ts";
import type { ResetAnswer } from "../_server/reset-task.ts";
import { ApiError, postJson } from "./api-client.ts";
import { useNotify } from "./notices.tsx";
import type { ShownStatus } from "./status-badge.tsx";

export interface TaskReset {
  /** Ids whose reset is on its way. */
  readonly resetting: ReadonlySet<string>;
  /** By id: the state that the server saw when it refused a reset. */
  readonly refused: ReadonlyMap<string, ShownStatus>;
  readonly reset: (task: FailedTaskItem, reason: string) => Promise<void>;
  readonly dismiss: (id: string) => void;
}

/**
 * Resets tasks one by one. A row says so at once; it leaves the list when the server has confirmed, and goes back to
 * the state that the server saw when it has refused. The message offers the way back. A second press while the first is on its way does nothing.
 */
export function useTaskReset(): TaskReset {
  const queryClient = useQueryClient();
  const notify = useNotify();
  const t = useTranslations("notice");
  const act = useTranslations("act");
  const status = useTranslations("status");
  const problem = useTranslations("problem");
  const inFlight = useRef(new Set<string>());
  const [resetting, setResetting] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<ReadonlyMap<string, ShownStatus>>(new Map());

  const refuse = (id: string, seen: ShownStatus) => setRefused((known) => new Map(known).set(id, seen));

  const dismiss = (id: string) => setRefused((known) => new Map([...known].filter(([refusedId]) => refusedId !== id)));

  const report = (id: string, error: unknown) => {
    const code = error instanceof ApiError ? error.code : "unexpected";
    if (code === "task_not_failed" && error instanceof ApiError && error.taskStatus) {
      refuse(id, error.taskStatus);
      notify("problem", t("changed", { id, status: status(`${error.taskStatus}`) }));
    } else if (code === "task_not_found" || code === "task_archived") {
      refuse(id, "gone");
      notify("problem", t("gone", { id }));
    } else if (code === "network") {
      notify("problem", t("unknown", { id }));
    } else {
      notify("problem", t("failed", { id, problem: problem(`${code}`) }));
    }
  };

  /** Possible for as long as no worker has claimed the task; the server knows. */
  const wayBack = (id: string, undoToken: string) => ({ label: act("undo"), run: () => void undo(id, undoToken) });

  const undo = async (id: string, undoToken: string) => {
    try {
      await postJson<ResetAnswer>(`/api/v1/tasks/${id}/undo-reset`, { undoToken });
      notify("done", act("doneUndo", { id }));
    } catch (error) {
      const code = error instanceof ApiError ? error.code : "unexpected";
      notify("problem", act("failed", { id, problem: problem(`${code}`) }));
    } finally {
      void queryClient.invalidateQueries();
    }
  };

  const reset = async ({ id }: FailedTaskItem, reason: string) => {
    if (inFlight.current.has(id)) return;
    inFlight.current.add(id);
    setResetting(new Set(inFlight.current));
    dismiss(id);
    try {
      const { undoToken } = await postJson<ResetAnswer>(`/api/v1/tasks/${id}/reset`, { reason });
      // A refresh that was asked before the reset must not bring the row back.
      await queryClient.cancelQueries();
      queryClient.setQueriesData<FailedTaskPage>({ predicate: ({ queryKey }) => isTaskList(queryKey[0]) }, (page) =>
        page ? { ...page, items: page.items.filter((item) => item.id !== id) } : page,
      );
      notify("done", t("done", { id }), undoToken === undefined ? undefined : wayBack(id, undoToken));
    } catch (error) {
      report(id, error);
    } finally {
      inFlight.current.delete(id);
      setResetting(new Set(inFlight.current));
      void queryClient.invalidateQueries();
    }
  };

  return { resetting, refused, reset, dismiss };
}

function isTaskList(key: unknown): boolean {
  return typeof key === "string" && key.startsWith("/api/v1/tasks?");
}
