"use client";

import { useTranslations } from "next-intl";
import { type SubmitEvent, useId, useState } from "react";
import { BulkDialog } from "./bulk-dialog.tsx";

/** Asks before a step that cannot be taken back, and takes a reason for it. */
export function BulkConfirm(props: {
  title: string;
  text: string;
  label: string;
  close: () => void;
  confirm: (reason: string) => void;
}) {
  const t = useTranslations("bulk");
  const reasonId = useId();
  const [reason, setReason] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    props.close();
    props.confirm(reason);
  };
  return (
    <BulkDialog title={props.title} text={props.text} close={props.close}>
      <form onSubmit={submit} className="grid gap-3">
        <div className="grid gap-1">
          <label htmlFor={reasonId} className="text-ink-2">
            {t("reasonOptional")}
          </label>
          <textarea
            id={reasonId}
            rows={2}
            maxLength={500}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
            className="input resize-y"
          />
        </div>
        <div className="flex flex-wrap justify-end gap-2">
          <button type="button" className="button min-h-8" onClick={props.close}>
            {t("keep")}
          </button>
          <button type="submit" className="button button-primary min-h-8">
            {props.label}
          </button>
        </div>
      </form>
    </BulkDialog>
  );
}
