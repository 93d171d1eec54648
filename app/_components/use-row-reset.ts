"use client";

import { useTranslations } from "next-intl";
import { useRef, useState } from "react";
import type { ResetAnswer } from "../_server/reset-task.ts";
import { ApiError, postJson } from "./api-client.ts";
import { useNotify } from "./notices.tsx";
import type { ShownStatus } from "./status-badge.tsx";
import { useResetNotice } from "./use-reset-notice.ts";

export interface RowReset {
  /** Ids whose reset is on its way. */
  readonly resetting: ReadonlySet<string>;
  readonly reset: (id: string, reason: string) => Promise<void>;
}

/** What a list does about the resets of its rows. */
export interface RowResetEvents {
  readonly begun?: (id: string) => void;
  readonly done?: (id: string) => Promise<void>;
  /** Told with the state that the server saw; `gone`: none. */
  readonly refused?: (id: string, seen: ShownStatus) => void;
  /** Brings up to date what is shown, after a reset, its refusal or its undo. */
  readonly refresh: () => Promise<unknown>;
}

/**
 * Resets tasks of a list one by one, and takes a reset back. A message says how it went; what the row shows is the
 * list's. A second press while the first is on its way does nothing.
 */
export function useRowReset({ begun, done, refused, refresh }: RowResetEvents): RowReset {
  const notify = useNotify();
  const t = useTranslations("notice");
  const status = useTranslations("status");
  const problem = useTranslations("problem");
  const inFlight = useRef(new Set<string>());
  const [resetting, setResetting] = useState<ReadonlySet<string>>(new Set());

  const report = (id: string, error: unknown) => {
    const code = error instanceof ApiError ? error.code : "unexpected";
    if (code === "task_not_failed" && error instanceof ApiError && error.taskStatus) {
      refused?.(id, error.taskStatus);
      notify("problem", t("changed", { id, status: status(`${error.taskStatus}`) }));
    } else if (code === "task_not_found" || code === "task_archived") {
      refused?.(id, "gone");
      notify("problem", t("gone", { id }));
    } else if (code === "network") {
      notify("problem", t("unknown", { id }));
    } else {
      notify("problem", t("failed", { id, problem: problem(`${code}`) }));
    }
  };

  const undo = async (id: string, undoToken: string) => {
    try {
      await postJson<ResetAnswer>(`/api/v1/tasks/${id}/undo-reset`, { undoToken });
      notify("done", t("undone", { id }));
    } catch (error) {
      const code = error instanceof ApiError ? error.code : "unexpected";
      notify("problem", t("notUndone", { id, problem: problem(`${code}`) }));
    } finally {
      await refresh();
    }
  };
  const tell = useResetNotice(undo);

  const reset = async (id: string, reason: string) => {
    if (inFlight.current.has(id)) return;
    inFlight.current.add(id);
    setResetting(new Set(inFlight.current));
    begun?.(id);
    try {
      const answer = await postJson<ResetAnswer>(`/api/v1/tasks/${id}/reset`, { reason });
      await done?.(id);
      tell(id, answer);
    } catch (error) {
      report(id, error);
    } finally {
      await refresh();
      inFlight.current.delete(id);
      setResetting(new Set(inFlight.current));
    }
  };

  return { resetting, reset };
}
