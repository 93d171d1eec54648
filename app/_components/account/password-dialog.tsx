"use client";

import { useTranslations } from "next-intl";
import { type SubmitEvent, useState } from "react";
import { postJson } from "../api-client.ts";
import { Modal } from "../modal.tsx";
import { useNotify } from "../notices.tsx";
import { FormProblem } from "./form-problem.tsx";
import { NewPasswordFields } from "./new-password-fields.tsx";
import { TextField } from "./text-field.tsx";
import { useCountdown } from "./use-countdown.ts";
import { secondsToWait, useProblemText } from "./use-problem-text.ts";

/** One's own new password; every other browser of the account is signed out with it. */
export function PasswordDialog({ close }: { close: () => void }) {
  const t = useTranslations("me");
  const password = useTranslations("password");
  const notify = useNotify();
  const problemText = useProblemText();
  const { secondsLeft, start } = useCountdown();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isSending || next === undefined || secondsLeft > 0) return;
    setSending(true);
    setProblem(undefined);
    try {
      await postJson("/api/v1/me/password", { current, password: next });
      notify("done", t("passwordChanged"));
      close();
    } catch (error) {
      setProblem(problemText(error));
      start(secondsToWait(error));
      setSending(false);
    }
  };

  return (
    <Modal title={t("changePassword")} close={close}>
      <form onSubmit={(event) => void submit(event)} className="grid gap-3">
        <p className="text-ink-2">{t("passwordConsequence")}</p>
        <FormProblem text={problem} />
        <TextField
          label={t("currentPassword")}
          value={current}
          onChange={setCurrent}
          autoComplete="current-password"
          isPassword
          autoFocus
          capsLockHint={password("capsLock")}
        />
        <NewPasswordFields onChange={setNext} />
        <div className="flex justify-end gap-2">
          <button type="button" className="button min-h-8" onClick={close}>
            {t("cancel")}
          </button>
          <button
            type="submit"
            className="button button-primary min-h-8"
            disabled={isSending || next === undefined || current === "" || secondsLeft > 0}
          >
            {secondsLeft > 0 ? t("wait", { seconds: secondsLeft }) : t("changePassword")}
          </button>
        </div>
      </form>
    </Modal>
  );
}
