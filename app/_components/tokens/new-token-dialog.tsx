"use client";

import { useTranslations } from "next-intl";
import { type SubmitEvent, useId, useRef, useState } from "react";
import type { CreatedApiToken } from "../../_server/token-schema.ts";
import { FormProblem } from "../account/form-problem.tsx";
import { ScopeChoice } from "../account/scope-choice.tsx";
import { useProblemText } from "../account/use-problem-text.ts";
import { newIdempotencyKey, postJson } from "../api-client.ts";
import { Modal } from "../modal.tsx";
import { visibleText } from "../visible-text.ts";
import { CreatedKey } from "./created-key.tsx";

const ROLES = ["viewer", "operator", "auditor", "admin"] as const;
const DAYS = [7, 30, 90, 365] as const;
const NAME_MAX = 48;
const FIELD = "min-h-8 rounded-md border border-line bg-page px-2.5 py-1";

/** Asks what a new key may do, makes it, and shows it once. */
export function NewTokenDialog({ close, made }: { close: () => void; made: () => void }) {
  const t = useTranslations("tokens");
  const problemText = useProblemText();
  const ids = { name: useId(), role: useId(), days: useId() };
  const [created, setCreated] = useState<CreatedApiToken>();
  const [scopes, setScopes] = useState<readonly string[] | null>(null);
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  // The same key for every try of the same form: a lost answer makes no second token.
  const pressed = useRef({ body: "", key: "" });

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSending) return;
    const data = new FormData(event.currentTarget);
    const days = String(data.get("days"));
    const body = {
      ...{ name: String(data.get("name")), role: String(data.get("role")) },
      ...(scopes === null ? {} : { scopes }),
      expiresInDays: days === "never" ? null : Number(days),
    };
    const text = JSON.stringify(body);
    if (pressed.current.body !== text) pressed.current = { body: text, key: newIdempotencyKey() };
    setSending(true);
    try {
      setCreated(await postJson<CreatedApiToken>("/api/v1/tokens", body, pressed.current.key));
      setProblem(undefined);
      made();
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      setSending(false);
    }
  };

  return (
    <Modal title={created ? t("createdTitle", { name: visibleText(created.token.name) }) : t("newTitle")} close={close}>
      {created ? (
        <CreatedKey secret={created.key} close={close} />
      ) : (
        <form onSubmit={(event) => void submit(event)} className="grid gap-3">
          <p className="text-ink-2">{t("newHint")}</p>
          <div className="grid gap-1">
            <label htmlFor={ids.name}>{t("name")}</label>
            <input
              id={ids.name}
              name="name"
              required
              maxLength={NAME_MAX}
              autoFocus
              autoComplete="off"
              className={FIELD}
            />
          </div>
          <div className="grid gap-3 sm:grid-cols-2">
            <div className="grid gap-1">
              <label htmlFor={ids.role}>{t("role")}</label>
              <select id={ids.role} name="role" defaultValue="viewer" className={FIELD}>
                {ROLES.map((role) => (
                  <option key={role} value={role}>
                    {t(`role_${role}`)}
                  </option>
                ))}
              </select>
            </div>
            <div className="grid gap-1">
              <label htmlFor={ids.days}>{t("expires")}</label>
              <select id={ids.days} name="days" defaultValue="90" className={FIELD}>
                {DAYS.map((days) => (
                  <option key={days} value={days}>
                    {t("inDays", { count: days })}
                  </option>
                ))}
                <option value="never">{t("never")}</option>
              </select>
            </div>
          </div>
          <ScopeChoice scopes={scopes} choose={setScopes} hint={t("scopesHint")} />
          <FormProblem text={problem} />
          <div className="flex justify-end gap-2">
            <button type="button" className="button min-h-8" onClick={close}>
              {t("cancel")}
            </button>
            <button
              type="submit"
              className="button button-primary min-h-8"
              disabled={scopes?.length === 0}
              aria-disabled={isSending}
            >
              {t("create")}
            </button>
          </div>
        </form>
      )}
    </Modal>
  );
}
