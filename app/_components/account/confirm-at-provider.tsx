"use client";

import { useTranslations } from "next-intl";
import { useEffect, useEffectEvent, useState } from "react";
import type { SignInProblem } from "../../_server/sign-in-ways.ts";
import { postJson } from "../api-client.ts";
import { CONFIRM_CHANNEL } from "./confirm-channel.ts";
import { FormProblem } from "./form-problem.tsx";
import { useProblemText } from "./use-problem-text.ts";

/** The tab in which a person signs in at the provider once more: goes there, and tells the other tabs how it went. */
export function ConfirmAtProvider({ state }: { state: "begin" | "done" | SignInProblem }) {
  const t = useTranslations("stepUp");
  const problems = useTranslations("problem");
  const problemText = useProblemText();
  const [problem, setProblem] = useState(state === "begin" || state === "done" ? undefined : problems(`${state}`));

  const begin = async () => {
    setProblem(undefined);
    try {
      const { url } = await postJson<{ url: string }>("/api/v1/sign-in/oidc", { purpose: "confirm" });
      window.location.replace(url);
    } catch (error) {
      setProblem(problemText(error));
    }
  };

  const arrive = useEffectEvent(() => {
    if (state === "begin") void begin();
    if (state !== "done") return;
    const channel = new BroadcastChannel(CONFIRM_CHANNEL);
    channel.postMessage("confirmed");
    channel.close();
    // Where the browser lets a page do so; else it says that it can be closed.
    window.close();
  });
  useEffect(() => arrive(), []);

  return (
    <div className="card mx-auto grid w-full max-w-[400px] gap-4 p-6">
      <h1 className="text-lg font-semibold">{state === "done" ? t("done") : t("title")}</h1>
      <FormProblem text={problem} />
      {problem !== undefined ? (
        <button type="button" className="button min-h-9" onClick={() => void begin()}>
          {t("again")}
        </button>
      ) : (
        <p role="status" className="text-ink-2">
          {state === "done" ? t("doneHint") : t("going")}
        </p>
      )}
    </div>
  );
}
