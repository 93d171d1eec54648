"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { type KeyboardEvent, useId, useState } from "react";
import type { EventTypeName } from "../../_server/list-event-types.ts";
import { type ApiError, getJson } from "../api-client.ts";
import { visibleText } from "../visible-text.ts";
import { useProblemText } from "./use-problem-text.ts";

const NAME_CHARACTERS_MAX = 64;
const SHOWN_MAX = 200;

/**
 * Chooses among the registered event types, found by a part of their name. A type that no worker has registered yet is
 * added by its whole name; what was chosen before stays in the list though its type is gone.
 */
export function EventTypePicker(props: {
  chosen: readonly string[];
  choose: (chosen: readonly string[]) => void;
  hint: string;
}) {
  const { chosen, choose } = props;
  const t = useTranslations("accounts");
  const problemText = useProblemText();
  const ids = { label: useId(), hint: useId() };
  const [part, setPart] = useState("");
  const [first] = useState(chosen);
  const { data, error } = useQuery<{ readonly eventTypes: readonly EventTypeName[] }, ApiError>({
    queryKey: ["/api/v1/event-types"],
    queryFn: ({ signal }) => getJson("/api/v1/event-types", signal),
    retry: false,
    staleTime: 30_000,
  });
  const registered = new Set((data?.eventTypes ?? []).map(({ eventType }) => eventType));
  // What is chosen stands first as the dialog opens; nothing moves when a box is ticked.
  const others = [...registered, ...chosen].filter((name) => !first.includes(name)).sort();
  const all = [...new Set([...first, ...others])];
  const wanted = part.trim();
  const shown = all.filter((name) => name.toLowerCase().includes(wanted.toLowerCase()));
  const isNew = wanted !== "" && [...wanted].length <= NAME_CHARACTERS_MAX && !all.includes(wanted);

  const toggle = (name: string) =>
    choose(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
  const add = () => {
    choose([...chosen, wanted]);
    setPart("");
  };
  const takeEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    // Enter means the type that is meant, not the whole form.
    event.preventDefault();
    if (isNew) add();
    else if (shown.length === 1 && shown[0] !== undefined) toggle(shown[0]);
  };

  return (
    <fieldset className="grid gap-1.5" aria-describedby={ids.hint}>
      <legend className="mb-1.5 flex w-full justify-between text-ink-2">
        <span id={ids.label}>{t("eventTypes")}</span>
        <span role="status" className="text-xs text-ink-3">
          {t("chosenTypes", { count: chosen.length })}
        </span>
      </legend>
      <input
        type="search"
        aria-label={t("findType")}
        placeholder={t("findType")}
        value={part}
        spellCheck={false}
        autoComplete="off"
        maxLength={NAME_CHARACTERS_MAX * 2}
        onChange={({ target }) => setPart(target.value)}
        onKeyDown={takeEnter}
        className="min-h-8 w-full min-w-0 rounded-md border border-line bg-page px-2.5"
      />
      <div
        role="group"
        aria-labelledby={ids.label}
        tabIndex={0}
        className="h-40 overflow-y-auto rounded-md border border-line p-1"
      >
        {shown.slice(0, SHOWN_MAX).map((name) => (
          <label key={name} className="flex min-h-7 items-center gap-2 rounded px-1.5 hover:bg-soft">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={() => toggle(name)}
              className="size-4 shrink-0 accent-accent"
            />
            <span className="truncate font-mono text-xs" title={visibleText(name)}>
              {visibleText(name)}
            </span>
            {data && !registered.has(name) && <span className="text-xs text-ink-3">{t("unknownType")}</span>}
          </label>
        ))}
        {isNew && (
          <button
            type="button"
            className="flex min-h-7 w-full items-center rounded px-1.5 text-start text-accent hover:bg-soft"
            onClick={add}
          >
            <span className="truncate">{t("addType", { type: visibleText(wanted) })}</span>
          </button>
        )}
        {shown.length === 0 && !isNew && data && <p className="px-1.5 py-1 text-ink-3">{t("noSuchType")}</p>}
        {error && <p className="px-1.5 py-1 text-failed">{t("typesProblem", { problem: problemText(error) })}</p>}
      </div>
      <p id={ids.hint} className="text-xs text-ink-3">
        {props.hint}
      </p>
    </fieldset>
  );
}
