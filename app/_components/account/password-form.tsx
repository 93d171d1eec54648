"use client";

import { useTranslations } from "next-intl";
import { type SubmitEvent, useState } from "react";
import { postJson } from "../api-client.ts";
import { BASE_PATH } from "../base-path.ts";
import { useHydrated } from "../use-hydrated.ts";
import { TextField } from "./text-field.tsx";
import { useCountdown } from "./use-countdown.ts";
import { secondsToWait, useProblemText } from "./use-problem-text.ts";

/** Name and password; after too many attempts it says how long to wait. `to` is a path of the console. */
export function PasswordForm(props: { to: string; setProblem: (text: string | undefined) => void }) {
  const isHydrated = useHydrated();
  const t = useTranslations("signIn");
  const password = useTranslations("password");
  const problemText = useProblemText();
  const { secondsLeft, start } = useCountdown();
  const [fields, setFields] = useState({ name: "", password: "" });
  const [isSending, setSending] = useState(false);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isSending || secondsLeft > 0) return;
    setSending(true);
    props.setProblem(undefined);
    try {
      await postJson("/api/v1/sign-in", fields);
      // A whole new page: nothing of whoever used this browser before is left in its memory.
      window.location.assign(`${BASE_PATH}${props.to}`);
    } catch (error) {
      props.setProblem(problemText(error));
      setFields((shown) => ({ ...shown, password: "" }));
      start(secondsToWait(error));
      setSending(false);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-4">
      <TextField
        label={t("name")}
        value={fields.name}
        onChange={(name) => setFields((shown) => ({ ...shown, name }))}
        autoComplete="username"
        autoFocus
      />
      <TextField
        label={t("password")}
        value={fields.password}
        onChange={(text) => setFields((shown) => ({ ...shown, password: text }))}
        autoComplete="current-password"
        isPassword
        capsLockHint={password("capsLock")}
      />
      <button
        type="submit"
        className="button button-primary min-h-9"
        disabled={!isHydrated || isSending || secondsLeft > 0}
      >
        {secondsLeft > 0 ? t("wait", { seconds: secondsLeft }) : isSending ? t("sending") : t("submit")}
      </button>
    </form>
  );
}
