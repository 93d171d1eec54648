"use client";

import { useTranslations } from "next-intl";

/** As the engine words the error of a task that it gave up because its workers died. */
const ABANDONED = /^abandoned while running (\d{1,9}) times: its worker died or was cut off each time$/;

/** An error that the engine itself has written, in the person's language; what a handler threw is left as it is. */
export function useEngineError(): (text: string) => string {
  const t = useTranslations("detail");
  return (text) => {
    const [, count] = ABANDONED.exec(text) ?? [];
    return count === undefined ? text : t("abandonedError", { count: Number(count) });
  };
}
