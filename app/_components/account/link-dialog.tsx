"use client";

import { useTranslations } from "next-intl";
import { useRef, useState } from "react";
import type { NewLink } from "../../_server/accounts.ts";
import { postJson } from "../api-client.ts";
import { BASE_PATH } from "../base-path.ts";
import { copyText } from "../copy-text.ts";
import { Modal } from "../modal.tsx";
import { visibleText } from "../visible-text.ts";
import { FormProblem } from "./form-problem.tsx";
import { useProblemText } from "./use-problem-text.ts";

/** Makes a one-time link for an account, unless `link` brings it along, and shows it this once. */
export function LinkDialog(props: {
  account: { readonly id?: string; readonly name: string };
  link?: NewLink;
  close: () => void;
}) {
  const { account, close } = props;
  const t = useTranslations("accounts");
  const problemText = useProblemText();
  const field = useRef<HTMLInputElement>(null);
  const [link, setLink] = useState(props.link);
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const [isCopied, setCopied] = useState(false);
  const name = visibleText(account.name);
  const address = link && `${window.location.origin}${BASE_PATH}/sign-in/link#${link.token}`;

  const make = async () => {
    setSending(true);
    try {
      setLink(await postJson<NewLink>(`/api/v1/accounts/${account.id ?? ""}/link`, {}));
    } catch (error) {
      setProblem(problemText(error));
      setSending(false);
    }
  };

  const copy = async () => {
    setCopied(await copyText(address ?? ""));
    // Where that is not possible the text is selected for the person's own copy.
    field.current?.select();
  };

  return (
    <Modal title={t("linkTitle", { name })} close={close}>
      <p className="text-ink-2">{link ? t("linkHint") : t("linkConsequence")}</p>
      <FormProblem text={problem} />
      {address !== undefined && (
        <div className="flex gap-2">
          <input
            ref={field}
            readOnly
            autoFocus
            value={address}
            aria-label={t("link")}
            onFocus={({ target }) => target.select()}
            className="min-h-8 min-w-0 flex-1 rounded-md border border-line bg-page px-2.5 font-mono text-xs"
          />
          <button type="button" className="button min-h-8" onClick={() => void copy()}>
            {isCopied ? t("copied") : t("copy")}
          </button>
        </div>
      )}
      <div className="flex justify-end gap-2">
        <button type="button" autoFocus={!link} className="button min-h-8" onClick={close}>
          {link ? t("close") : t("cancel")}
        </button>
        {!link && (
          <button
            type="button"
            className="button button-primary min-h-8"
            disabled={isSending}
            onClick={() => void make()}
          >
            {t("linkConfirm")}
          </button>
        )}
      </div>
    </Modal>
  );
}
