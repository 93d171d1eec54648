"use client";

import { useTranslations } from "next-intl";
import { type SubmitEvent, useEffect, useEffectEvent, useState } from "react";
import { postJson } from "../api-client.ts";
import { BASE_PATH } from "../base-path.ts";
import { Modal } from "../modal.tsx";
import type { StepUpNeed } from "./ask-for-step-up.ts";
import { CONFIRM_CHANNEL } from "./confirm-channel.ts";
import { FormProblem } from "./form-problem.tsx";
import { TextField } from "./text-field.tsx";
import { useCountdown } from "./use-countdown.ts";
import { secondsToWait, useProblemText } from "./use-problem-text.ts";

/** Asks for the password once more, or for a new sign-in at the provider, which goes on in another tab. */
export function StepUpDialog(props: { need: StepUpNeed; answer: (isConfirmed: boolean) => void }) {
  const { need, answer } = props;
  const t = useTranslations("stepUp");
  return (
    <Modal title={t("title")} close={() => answer(false)}>
      <p className="text-ink-2">{t("why", { minutes: need.confirmMinutes })}</p>
      {need.by === "password" ? <ByPassword answer={answer} /> : <ByProvider answer={answer} />}
    </Modal>
  );
}

function ByPassword({ answer }: { answer: (isConfirmed: boolean) => void }) {
  const t = useTranslations("stepUp");
  const words = useTranslations("password");
  const problemText = useProblemText();
  const { secondsLeft, start } = useCountdown();
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isSending || secondsLeft > 0) return;
    setSending(true);
    setProblem(undefined);
    try {
      await postJson("/api/v1/me/confirm", { password });
      answer(true);
    } catch (error) {
      setProblem(problemText(error));
      setPassword("");
      start(secondsToWait(error));
      setSending(false);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-3">
      <FormProblem text={problem} />
      <TextField
        label={t("password")}
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        isPassword
        autoFocus
        capsLockHint={words("capsLock")}
      />
      <div className="flex justify-end gap-2">
        <button type="button" className="button min-h-8" onClick={() => answer(false)}>
          {t("cancel")}
        </button>
        <button
          type="submit"
          className="button button-primary min-h-8"
          disabled={isSending || password === "" || secondsLeft > 0}
        >
          {secondsLeft > 0 ? t("wait", { seconds: secondsLeft }) : t("confirm")}
        </button>
      </div>
    </form>
  );
}

function ByProvider({ answer }: { answer: (isConfirmed: boolean) => void }) {
  const t = useTranslations("stepUp");
  const [isWaiting, setWaiting] = useState(false);
  const confirmed = useEffectEvent(() => answer(true));
  useEffect(() => {
    const channel = new BroadcastChannel(CONFIRM_CHANNEL);
    channel.onmessage = () => confirmed();
    return () => channel.close();
  }, []);
  return (
    <>
      <p>{t("providerHint")}</p>
      <p role="status" className="text-xs text-ink-3">
        {isWaiting ? t("waiting") : ""}
      </p>
      <div className="flex justify-end gap-2">
        <button type="button" className="button min-h-8" onClick={() => answer(false)}>
          {t("cancel")}
        </button>
        <a
          href={`${BASE_PATH}/sign-in/confirm`}
          target="_blank"
          rel="noopener"
          autoFocus
          className="button button-primary min-h-8"
          onClick={() => setWaiting(true)}
        >
          {t("toProvider")}
        </a>
      </div>
    </>
  );
}
