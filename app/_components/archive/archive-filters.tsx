"use client";

import { useTranslations } from "next-intl";
import { type ReactNode, type SubmitEvent, useId, useState } from "react";
import { BASE_PATH } from "../base-path.ts";
import { useFilterKey } from "../keys/use-filter-key.ts";
import { visibleText } from "../visible-text.ts";
import { archiveQuery, type ArchiveView, FINAL_STATES, type ShowArchive } from "./archive-view.ts";
import { ArchiveTime } from "./archive-time.tsx";

const FIELD = "h-7 min-w-0 rounded-md border border-line bg-card px-2";

/** Narrows the list. What is typed counts when the form is sent; the rest at once. */
export function ArchiveFilters(props: { view: ArchiveView; show: ShowArchive; eventTypes: readonly string[] }) {
  const { view, show } = props;
  const t = useTranslations("archive");
  const status = useTranslations("status");
  const ids = { type: useId(), state: useId(), key: useId(), id: useId() };
  const names = [...new Set([...props.eventTypes, ...(view.type ?? [])])].sort();
  const fields = useFilterKey<HTMLDivElement>();
  const isSeveral = (view.type?.length ?? 0) > 1;
  return (
    <div ref={fields} role="group" aria-label={t("filters")} className="flex flex-wrap items-end gap-x-3 gap-y-2">
      <ArchiveTime key={`${view.from ?? ""} ${view.to ?? ""}`} view={view} show={show} />
      <Field id={ids.type} label={t("eventType")}>
        <select
          id={ids.type}
          value={isSeveral ? "\n" : (view.type?.[0] ?? "")}
          onChange={({ target }) => show({ type: target.value === "" ? null : [target.value] })}
          className={`${FIELD} max-w-56 truncate`}
        >
          <option value="">{t("allTypes")}</option>
          {isSeveral && <option value={"\n"}>{t("someTypes", { count: view.type?.length ?? 0 })}</option>}
          {names.map((name) => (
            <option key={name} value={name}>
              {visibleText(name)}
            </option>
          ))}
        </select>
      </Field>
      <Field id={ids.state} label={t("state")}>
        <select
          id={ids.state}
          value={view.state ?? ""}
          onChange={({ target }) => show({ state: FINAL_STATES.find((state) => state === target.value) ?? null })}
          className={FIELD}
        >
          <option value="">{t("allStates")}</option>
          {FINAL_STATES.map((state) => (
            <option key={state} value={state}>
              {status(`${state}`)}
            </option>
          ))}
        </select>
      </Field>
      <Search key={`${view.key ?? ""}\n${view.id ?? ""}`} view={view} show={show} ids={ids} />
      {/* A plain link: the browser stores the file, and the page stays. */}
      <a href={`${BASE_PATH}/api/v1/archive.csv${archiveQuery(view)}`} download className="button ms-auto">
        {t("csv")}
      </a>
    </div>
  );
}

function Search(props: { view: ArchiveView; show: ShowArchive; ids: { readonly key: string; readonly id: string } }) {
  const { view, show, ids } = props;
  const t = useTranslations("archive");
  const [key, setKey] = useState(view.key ?? "");
  const [id, setId] = useState(view.id ?? "");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    show({ key: key || null, id: id.trim() || null });
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-x-3 gap-y-2 max-sm:w-full">
      <Field id={ids.key} label={t("bizKeyExact")} isWide>
        <input
          id={ids.key}
          type="search"
          maxLength={128}
          value={key}
          onChange={({ target }) => setKey(target.value)}
          className={`${FIELD} w-48 font-mono text-xs max-sm:w-full`}
        />
      </Field>
      <Field id={ids.id} label={t("id")} isGrowing>
        <input
          id={ids.id}
          type="search"
          inputMode="numeric"
          pattern="\s*[1-9][0-9]{0,18}\s*"
          value={id}
          onChange={({ target }) => setId(target.value)}
          className={`${FIELD} w-40 font-mono text-xs max-sm:w-full`}
        />
      </Field>
      <button type="submit" className="button min-h-7">
        {t("find")}
      </button>
    </form>
  );
}

/** On a phone a wide one has its line, and a growing one leaves it to what follows. */
function Field(props: { id: string; label: string; isWide?: true; isGrowing?: true; children: ReactNode }) {
  const { id, label, isWide, isGrowing, children } = props;
  return (
    <div className={`grid min-w-0 gap-0.5 ${isWide ? "max-sm:w-full" : ""} ${isGrowing ? "max-sm:flex-1" : ""}`}>
      <label htmlFor={id} className="text-xs text-ink-2">
        {label}
      </label>
      {children}
    </div>
  );
}
