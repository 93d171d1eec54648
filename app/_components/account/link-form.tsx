"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { type SubmitEvent, useState, useSyncExternalStore } from "react";
import type { LinkPurpose } from "../../_server/sign-in-link.ts";
import { postJson } from "../api-client.ts";
import { BASE_PATH } from "../base-path.ts";
import { visibleText } from "../visible-text.ts";
import { FormProblem } from "./form-problem.tsx";
import { NewPasswordFields } from "./new-password-fields.tsx";
import { TextField } from "./text-field.tsx";
import { useProblemText } from "./use-problem-text.ts";

/**
 * What a one-time link opens: a new password for its account, or the first admin. The token stands behind the `#`, which
 * a browser sends to nobody, so that no log holds it.
 */
export function LinkForm() {
  const t = useTranslations("link");
  const problemText = useProblemText();
  const token = useSyncExternalStore(
    subscribeToFragment,
    () => window.location.hash.slice(1),
    () => undefined,
  );
  const { data: purpose, error } = useQuery<LinkPurpose>({
    queryKey: ["sign-in link", token],
    queryFn: () => postJson<LinkPurpose>("/api/v1/sign-in/link", { token }),
    enabled: token !== undefined,
    retry: false,
    refetchOnWindowFocus: false,
  });
  return (
    <div className="card grid gap-4 p-6">
      <h1 className="text-lg font-semibold">
        {purpose && purpose.account === undefined ? t("titleFirst") : t("titlePassword")}
      </h1>
      {error && <FormProblem text={problemText(error)} />}
      {error && (
        <a href={`${BASE_PATH}/sign-in`} className="button min-h-9">
          {t("toSignIn")}
        </a>
      )}
      {purpose && token !== undefined && <LinkFields purpose={purpose} token={token} />}
    </div>
  );
}

function LinkFields({ purpose, token }: { purpose: LinkPurpose; token: string }) {
  const t = useTranslations("link");
  const problemText = useProblemText();
  const [name, setName] = useState("");
  const [password, setPassword] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const { account } = purpose;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isSending || password === undefined) return;
    setSending(true);
    setProblem(undefined);
    try {
      await postJson("/api/v1/sign-in/link/use", { token, password, ...(account === undefined ? { name } : {}) });
      window.location.replace(`${BASE_PATH}/`);
    } catch (error) {
      setProblem(problemText(error));
      setSending(false);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-4">
      <p className="wrap-anywhere text-ink-2">
        {account === undefined ? t("hintFirst") : t("hintPassword", { name: visibleText(account) })}
      </p>
      <FormProblem text={problem} />
      {account === undefined && (
        <TextField
          label={t("name")}
          value={name}
          onChange={setName}
          autoComplete="username"
          autoFocus
          maxLength={64}
          hint={t("nameHint")}
        />
      )}
      <NewPasswordFields onChange={setPassword} />
      <button type="submit" className="button button-primary min-h-9" disabled={isSending || password === undefined}>
        {isSending ? t("sending") : account === undefined ? t("submitFirst") : t("submitPassword")}
      </button>
    </form>
  );
}

function subscribeToFragment(changed: () => void): () => void {
  window.addEventListener("hashchange", changed);
  return () => window.removeEventListener("hashchange", changed);
}
