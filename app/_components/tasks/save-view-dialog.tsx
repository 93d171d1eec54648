"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import { Modal } from "../modal.tsx";

/** Asks for the name of a view. Escape leaves everything as it is. */
export function SaveViewDialog(props: { save: (name: string, shared: boolean) => void; close: () => void }) {
  const t = useTranslations("tasks");
  const nameId = useId();
  return (
    <Modal title={t("saveViewTitle")} close={props.close}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          const name = String(data.get("name") ?? "").trim();
          if (name !== "") props.save(name, data.get("shared") !== null);
        }}
      >
        <div className="grid gap-1">
          <label htmlFor={nameId} className="text-ink-2">
            {t("viewName")}
          </label>
          <input
            id={nameId}
            name="name"
            required
            autoFocus
            maxLength={64}
            autoComplete="off"
            className="min-h-8 rounded-md border border-line bg-page px-2.5"
          />
        </div>
        <label className="flex items-center gap-2">
          <input type="checkbox" name="shared" className="size-4 accent-accent" />
          {t("shareView")}
        </label>
        <div className="flex justify-end gap-2">
          <button type="button" className="button min-h-8" onClick={props.close}>
            {t("cancel")}
          </button>
          <button type="submit" className="button button-primary min-h-8">
            {t("save")}
          </button>
        </div>
      </form>
    </Modal>
  );
}
