"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import type { ApiTokenItem } from "../../_server/token-schema.ts";
import { visibleText } from "../visible-text.ts";
import { Modal } from "./modal.tsx";

/** Asks before a key is ended, which nobody can take back. */
export function RevokeDialog(props: { token: ApiTokenItem; confirm: () => void; close: () => void }) {
  const t = useTranslations("tokens");
  const ids = { title: useId(), text: useId() };
  return (
    <Modal labelledBy={ids.title} describedBy={ids.text} close={props.close}>
      <div className="grid gap-3 p-5">
        <h2 id={ids.title} className="text-lg font-semibold wrap-anywhere">
          {t("revokeTitle", { name: visibleText(props.token.name) })}
        </h2>
        <p id={ids.text}>{t("revokeText")}</p>
        <div className="flex justify-end gap-2">
          <button type="button" autoFocus className="button min-h-8" onClick={props.close}>
            {t("cancel")}
          </button>
          <button type="button" className="button button-primary min-h-8" onClick={props.confirm}>
            {t("revokeOne")}
          </button>
        </div>
      </div>
    </Modal>
  );
}
