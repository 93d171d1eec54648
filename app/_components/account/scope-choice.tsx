"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { EventTypePicker } from "./event-type-picker.tsx";

/** All event types, or some and which. What was chosen is there again when the box is ticked again. */
export function ScopeChoice(props: {
  /** Null: all. */
  scopes: readonly string[] | null;
  choose: (scopes: readonly string[] | null) => void;
  /** What it means to be confined, said beside the types. */
  hint: string;
}) {
  const { scopes, choose } = props;
  const t = useTranslations("accounts");
  const [kept, setKept] = useState(scopes ?? []);
  return (
    <>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={scopes !== null}
          onChange={({ target }) => choose(target.checked ? kept : null)}
        />
        {t("confined")}
      </label>
      {scopes !== null && (
        <EventTypePicker
          chosen={scopes}
          choose={(types) => {
            setKept(types);
            choose(types);
          }}
          hint={props.hint}
        />
      )}
    </>
  );
}
