"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { type SubmitEvent, useId, useState } from "react";
import type { Role } from "../../../db/schema/account.ts";
import type { AccountItem, NewLink } from "../../_server/accounts.ts";
import { postJson, sendJson } from "../api-client.ts";
import { Modal } from "../modal.tsx";
import { useNotify } from "../notices.tsx";
import { visibleText } from "../visible-text.ts";
import { FormProblem } from "./form-problem.tsx";
import { ScopeChoice } from "./scope-choice.tsx";
import { TextField } from "./text-field.tsx";
import { useProblemText } from "./use-problem-text.ts";

const ROLES = ["viewer", "operator", "admin", "auditor"] as const satisfies readonly Role[];

/** A new account, or the role and the event types of one. */
export function AccountDialog(props: {
  account: AccountItem | undefined;
  close: () => void;
  created?: (name: string, link: NewLink) => void;
}) {
  const { account, close } = props;
  const t = useTranslations("accounts");
  const role = useTranslations("role");
  const notify = useNotify();
  const problemText = useProblemText();
  const queryClient = useQueryClient();
  const roleName = useId();
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<Role>(account?.role ?? "viewer");
  const [scopes, setScopes] = useState<readonly string[] | null>(account?.scopes ?? null);
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isSending) return;
    setSending(true);
    setProblem(undefined);
    try {
      if (account) {
        await sendJson("PATCH", `/api/v1/accounts/${account.id}`, { role: chosen, scopes });
        notify("done", t("changedNotice", { name: visibleText(account.name) }));
        close();
      } else {
        const { link } = await postJson<{ link: NewLink }>("/api/v1/accounts", { name, role: chosen, scopes });
        props.created?.(name.trim(), link);
      }
      void queryClient.invalidateQueries();
    } catch (error) {
      setProblem(problemText(error));
      setSending(false);
    }
  };

  return (
    <Modal title={account ? t("editTitle", { name: visibleText(account.name) }) : t("createTitle")} close={close}>
      <form onSubmit={(event) => void submit(event)} className="grid gap-3">
        <p className="text-ink-2">{account ? t("editConsequence") : t("createConsequence")}</p>
        <FormProblem text={problem} />
        {!account && (
          <TextField
            label={t("name")}
            value={name}
            onChange={setName}
            autoComplete="off"
            autoFocus
            maxLength={64}
            hint={t("nameHint")}
          />
        )}
        <fieldset className="grid gap-1.5">
          <legend className="mb-1 text-ink-2">{t("role")}</legend>
          {ROLES.map((one) => (
            <label key={one} className="flex items-baseline gap-2">
              <input
                type="radio"
                name={roleName}
                value={one}
                checked={chosen === one}
                autoFocus={account?.role === one}
                onChange={() => setChosen(one)}
                className="translate-y-[2px]"
              />
              <span>
                <span className="font-medium">{role(`${one}`)}</span>
                <span className="ms-2 text-ink-2">{role(`${one}Hint`)}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <ScopeChoice scopes={scopes} choose={setScopes} hint={t("typesHint")} />
        <div className="flex justify-end gap-2">
          <button type="button" className="button min-h-8" onClick={close}>
            {t("cancel")}
          </button>
          <button
            type="submit"
            className="button button-primary min-h-8"
            disabled={isSending || scopes?.length === 0 || (!account && name.trim() === "")}
          >
            {account ? t("save") : t("create")}
          </button>
        </div>
      </form>
    </Modal>
  );
}
