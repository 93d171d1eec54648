"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import type { AccountItem } from "../../_server/accounts.ts";
import { sendJson } from "../api-client.ts";
import { Modal } from "../modal.tsx";
import { useNotify } from "../notices.tsx";
import { visibleText } from "../visible-text.ts";
import { FormProblem } from "./form-problem.tsx";
import { useProblemText } from "./use-problem-text.ts";

/** Asks before an account is locked out, or let in again. */
export function DisableDialog({ account, close }: { account: AccountItem; close: () => void }) {
  const t = useTranslations("accounts");
  const notify = useNotify();
  const problemText = useProblemText();
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const name = visibleText(account.name);
  const isDisabled = !account.isDisabled;

  const confirm = async () => {
    setSending(true);
    try {
      await sendJson("PATCH", `/api/v1/accounts/${account.id}`, { isDisabled });
      notify("done", isDisabled ? t("disabledNotice", { name }) : t("enabledNotice", { name }));
      void queryClient.invalidateQueries();
      close();
    } catch (error) {
      setProblem(problemText(error));
      setSending(false);
    }
  };

  return (
    <Modal title={isDisabled ? t("disableTitle", { name }) : t("enableTitle", { name })} close={close}>
      <p>{isDisabled ? t("disableConsequence") : t("enableConsequence")}</p>
      <FormProblem text={problem} />
      <div className="flex justify-end gap-2">
        <button type="button" autoFocus className="button min-h-8" onClick={close}>
          {t("cancel")}
        </button>
        <button
          type="button"
          className="button button-primary min-h-8"
          disabled={isSending}
          onClick={() => void confirm()}
        >
          {isDisabled ? t("disableConfirm") : t("enableConfirm")}
        </button>
      </div>
    </Modal>
  );
}
