"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { TextField } from "./text-field.tsx";

/** The fewest characters that the server takes. */
const CHARACTERS_MIN = 12;

/** A new password, typed twice. Tells it once both are the same and long enough; undefined before. */
export function NewPasswordFields({ onChange }: { onChange: (password: string | undefined) => void }) {
  const t = useTranslations("password");
  const [texts, setTexts] = useState<readonly [string, string]>(["", ""]);
  const change = (next: readonly [string, string]) => {
    setTexts(next);
    onChange(next[0] === next[1] && [...next[0]].length >= CHARACTERS_MIN ? next[0] : undefined);
  };
  const [first, second] = texts;
  return (
    <>
      <TextField
        label={t("new")}
        value={first}
        onChange={(text) => change([text, second])}
        autoComplete="new-password"
        isPassword
        capsLockHint={t("capsLock")}
        hint={t("rule", { count: CHARACTERS_MIN })}
      />
      <TextField
        label={t("again")}
        value={second}
        onChange={(text) => change([first, text])}
        autoComplete="new-password"
        isPassword
        capsLockHint={t("capsLock")}
        hint={
          second !== "" && !first.startsWith(second) ? <span className="text-failed">{t("differs")}</span> : undefined
        }
      />
    </>
  );
}
