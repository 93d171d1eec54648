"use client";

import { useTranslations } from "next-intl";
import { type SubmitEvent, useId, useRef, useState } from "react";
import type { CreatedApiToken } from "../../_server/token-schema.ts";
import { ApiError, newIdempotencyKey, postJson } from "../api-client.ts";
import { CreatedKey } from "./created-key.tsx";
import { Modal } from "./modal.tsx";

const ROLES = ["viewer", "operator", "auditor", "admin"] as const;
const DAYS = [7, 30, 90, 365] as const;
const NAME_MAX = 48;
const FIELD = "min-h-8 rounded-md border border-line bg-page px-2.5 py-1";

/** Asks what a new key may do, makes it, and shows it once. */
export function NewTokenDialog({ close, made }: { close: () => void; made: () => void }) {
  const t = useTranslations("tokens");
  const problem = useTranslations("problem");
  const ids = { title: useId(), name: useId(), role: useId(), scopes: useId(), scopesHint: useId(), days: useId() };
  const [created, setCreated] = useState<CreatedApiToken>();
  const [error, setError] = useState<ApiError>();
  const [isSending, setSending] = useState(false);
  // The same key for every try of the same form: a lost answer makes no second token.
  const pressed = useRef({ body: "", key: "" });

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSending) return;
    const data = new FormData(event.currentTarget);
    const scopes = String(data.get("scopes") ?? "")
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== "");
    const days = String(data.get("days"));
    const body = {
      ...{ name: String(data.get("name")), role: String(data.get("role")) },
      ...(scopes.length === 0 ? {} : { scopes }),
      expiresInDays: days === "never" ? null : Number(days),
    };
    const text = JSON.stringify(body);
    if (pressed.current.body !== text) pressed.current = { body: text, key: newIdempotencyKey() };
    setSending(true);
    try {
      setCreated(await postJson<CreatedApiToken>("/api/v1/tokens", body, pressed.current.key));
      setError(undefined);
      made();
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError({ code: "unexpected", cause: failure }));
    } finally {
      setSending(false);
    }
  };

  return (
    <Modal labelledBy={ids.title} close={close}>
      {created ? (
        <CreatedKey created={created} titleId={ids.title} close={close} />
      ) : (
        <form onSubmit={(event) => void submit(event)} className="grid gap-3 p-5">
          <h2 id={ids.title} className="text-lg font-semibold">
            {t("newTitle")}
          </h2>
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
          <div className="grid gap-1">
            <label htmlFor={ids.scopes}>{t("scopes")}</label>
            <textarea
              id={ids.scopes}
              name="scopes"
              rows={2}
              spellCheck={false}
              aria-describedby={ids.scopesHint}
              className={`${FIELD} resize-y font-mono text-xs leading-5`}
            />
            <p id={ids.scopesHint} className="text-xs text-ink-3">
              {t("scopesHint")}
            </p>
          </div>
          {error && (
            <p role="alert" className="rounded-md bg-failed-tint px-3 py-2 text-failed">
              {problem(`${error.code}`)}
            </p>
          )}
          <div className="flex justify-end gap-2">
            <button type="button" className="button min-h-8" onClick={close}>
              {t("cancel")}
            </button>
            <button type="submit" className="button button-primary min-h-8" aria-disabled={isSending}>
              {t("create")}
            </button>
          </div>
        </form>
      )}
    </Modal>
  );
}
