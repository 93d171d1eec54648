"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useRef, useState } from "react";
import type { ArchivedTaskAnswer } from "../../_server/archived-task.ts";
import type { ReplayAnswer } from "../../_server/replay-task.ts";
import { ApiError, postJson } from "../api-client.ts";
import { useNotify } from "../notices.tsx";

export interface ReplayWish {
  readonly reason: string;
  readonly payload: string | undefined;
  readonly confirmSucceeded: boolean;
}

/**
 * Replays one archived task. Answers true if the dialog has nothing more to ask: it was done, or nobody knows whether it
 * was. A second press while the first is on its way does nothing.
 */
export function useReplay({ id, archivedAt }: ArchivedTaskAnswer["task"]): {
  readonly isSending: boolean;
  readonly replay: (wish: ReplayWish) => Promise<boolean>;
} {
  const queryClient = useQueryClient();
  const notify = useNotify();
  const t = useTranslations("replay");
  const problem = useTranslations("problem");
  const inFlight = useRef(false);
  const [isSending, setSending] = useState(false);
  const replay = async (wish: ReplayWish): Promise<boolean> => {
    if (inFlight.current) return false;
    inFlight.current = true;
    setSending(true);
    try {
      const answer = await postJson<ReplayAnswer>(`/api/v1/archive/${id}/replay`, { archivedAt, ...wish });
      notify("done", t("done", { id: answer.id, old: id }));
      return true;
    } catch (error) {
      const code = error instanceof ApiError ? error.code : "unexpected";
      notify("problem", code === "network" ? t("unknown") : t("failed", { id, problem: problem(`${code}`) }));
      return code === "network";
    } finally {
      inFlight.current = false;
      setSending(false);
      void queryClient.invalidateQueries();
    }
  };
  return { isSending, replay };
}
