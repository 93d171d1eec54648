"use client";

import { useTranslations } from "next-intl";
import type { ResetAnswer } from "../_server/reset-task.ts";
import { useNotify } from "./notices.tsx";

type TellReset = (id: string, answer: ResetAnswer, options?: { readonly isLater?: boolean }) => void;

/**
 * Says that a task was reset, and offers the way back for as long as that is shown: wherever a reset is made, by the same
 * words. Whether it can still be taken back the server knows.
 */
export function useResetNotice(undo: (id: string, undoToken: string) => Promise<unknown>): TellReset {
  const t = useTranslations("notice");
  const notify = useNotify();
  return (id, { undoToken }, { isLater = false } = {}) => {
    const wayBack = undoToken === undefined ? undefined : { label: t("undo"), run: () => void undo(id, undoToken) };
    notify("done", isLater ? t("doneLater", { id }) : t("done", { id }), wayBack);
  };
}
