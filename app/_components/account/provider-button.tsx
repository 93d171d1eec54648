"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { postJson } from "../api-client.ts";
import { visibleText } from "../visible-text.ts";
import { useProblemText } from "./use-problem-text.ts";

/** Leaves for the provider, which sends the browser back to `to`. */
export function ProviderButton(props: {
  provider: string;
  to: string;
  isPrimary: boolean;
  setProblem: (text: string | undefined) => void;
}) {
  const t = useTranslations("signIn");
  const problemText = useProblemText();
  const [isGoing, setGoing] = useState(false);
  const provider = visibleText(props.provider);

  const go = async () => {
    setGoing(true);
    props.setProblem(undefined);
    try {
      const { url } = await postJson<{ url: string }>("/api/v1/sign-in/oidc", { to: props.to });
      window.location.assign(url);
    } catch (error) {
      props.setProblem(problemText(error));
      setGoing(false);
    }
  };

  return (
    <button
      type="button"
      autoFocus={props.isPrimary}
      className={`button min-h-9 ${props.isPrimary ? "button-primary" : ""}`}
      disabled={isGoing}
      onClick={() => void go()}
    >
      <span className="truncate">{isGoing ? t("going", { provider }) : t("withProvider", { provider })}</span>
    </button>
  );
}
