"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useRef, useState } from "react";
import type { ResetAnswer } from "../../_server/reset-task.ts";
import { ApiError, postJson } from "../api-client.ts";
import { useNotify } from "../notices.tsx";

export interface ListReset {
  /** Ids whose reset is on its way. */
  readonly resetting: ReadonlySet<string>;
  readonly reset: (id: string, reason: string) => Promise<void>;
}

/**
 * Resets tasks of a list one by one. A row says so at once and then shows the state that the server has, be it reset or
 * refused; it stays in place. A second press while the first is on its way does nothing.
 */
export function useListReset(): ListReset {
  const queryClient = useQueryClient();
  const notify = useNotify();
  const t = useTranslations("notice");
  const status = useTranslations("status");
  const problem = useTranslations("problem");
  const inFlight = useRef(new Set<string>());
  const [resetting, setResetting] = useState<ReadonlySet<string>>(new Set());

  const report = (id: string, error: unknown) => {
    const code = error instanceof ApiError ? error.code : "unexpected";
    if (code === "task_not_failed" && error instanceof ApiError && error.taskStatus) {
      notify("problem", t("changed", { id, status: status(`${error.taskStatus}`) }));
    } else if (code === "task_not_found") notify("problem", t("gone", { id }));
    else if (code === "network") notify("problem", t("unknown", { id }));
    else notify("problem", t("failed", { id, problem: problem(`${code}`) }));
  };

  const reset = async (id: string, reason: string) => {
    if (inFlight.current.has(id)) return;
    inFlight.current.add(id);
    setResetting(new Set(inFlight.current));
    try {
      await postJson<ResetAnswer>(`/api/v1/tasks/${id}/reset`, { reason });
      notify("done", t("done", { id }));
    } catch (error) {
      report(id, error);
    } finally {
      await queryClient.refetchQueries({ queryKey: ["progress"] });
      inFlight.current.delete(id);
      setResetting(new Set(inFlight.current));
    }
  };

  return { resetting, reset };
}
