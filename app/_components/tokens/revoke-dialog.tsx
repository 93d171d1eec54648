"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import type { ApiTokenItem } from "../../_server/token-schema.ts";
import { Modal } from "../modal.tsx";
import { visibleText } from "../visible-text.ts";

/** Asks before a key is ended, which nobody can take back. */
export function RevokeDialog(props: { token: ApiTokenItem; confirm: () => void; close: () => void }) {
  const t = useTranslations("tokens");
  const textId = useId();
  return (
    <Modal title={t("revokeTitle", { name: visibleText(props.token.name) })} describedBy={textId} close={props.close}>
      <p id={textId}>{t("revokeText")}</p>
      <div className="flex justify-end gap-2">
        <button type="button" autoFocus className="button min-h-8" onClick={props.close}>
          {t("cancel")}
        </button>
        <button type="button" className="button button-primary min-h-8" onClick={props.confirm}>
          {t("revokeOne")}
        </button>
      </div>
    </Modal>
  );
}
