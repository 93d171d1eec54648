"use client";

import { useTranslations } from "next-intl";
import { type ReactNode, type SubmitEvent, useId, useState } from "react";
import { useFilterKey } from "../keys/use-filter-key.ts";
import { useZone } from "../zone.tsx";
import { fromLocalInput, toLocalInput } from "./local-time.ts";
import { OBJECT_KINDS } from "./object-kinds.ts";
import type { AuditFilterName, AuditView } from "./use-audit-view.ts";

const ACTIONS = ["task.*", "bulk.*", "archive.*", "type.*", "session.*", "account.*", "token.*", "request.denied"];
const RESULTS = ["ok", "denied", "failed"] as const;
const FIELD = "h-7 w-full min-w-0 rounded-md border border-line bg-card px-2";

/** The filters of the audit log. Texts and times apply on Enter or by the button, the list at once. On a phone they fold away. */
export function AuditFilters({ view }: { view: AuditView }) {
  const t = useTranslations("audit");
  const { timeZone = "UTC" } = useZone();
  const { filters, filter } = view;
  const ids = { form: useId(), actions: useId(), kinds: useId() };
  const [isOpen, setOpen] = useState(view.isFiltered);
  const form = useFilterKey<HTMLFormElement>();
  const text = (name: AuditFilterName, list?: string) => (
    <input
      name={name}
      defaultValue={filters[name] ?? ""}
      list={list}
      maxLength={191}
      spellCheck={false}
      autoComplete="off"
      className={FIELD}
    />
  );
  const instant = (name: "from" | "to") => (
    <input type="datetime-local" name={name} defaultValue={toLocalInput(filters[name], timeZone)} className={FIELD} />
  );
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const value = (name: string) => String(data.get(name) ?? "").trim() || null;
    filter({
      ...{
        actor: value("actor"),
        action: value("action"),
        objectKind: value("objectKind"),
        objectId: value("objectId"),
      },
      ...{ eventType: value("eventType"), correlation: value("correlation"), result: value("result") },
      from: fromLocalInput(value("from") ?? "", timeZone),
      to: fromLocalInput(value("to") ?? "", timeZone),
    });
  };
  return (
    <>
      <div className="border-b border-line px-4 py-2 sm:hidden">
        <button
          type="button"
          className="button"
          aria-expanded={isOpen}
          aria-controls={ids.form}
          onClick={() => setOpen(!isOpen)}
        >
          {t("filtersToggle")}
        </button>
      </div>
      <form
        ref={form}
        id={ids.form}
        key={`${timeZone} ${JSON.stringify(filters)}`}
        role="search"
        aria-label={t("filters")}
        onSubmit={submit}
        className={`grid grid-cols-2 gap-x-3 gap-y-2 border-b border-line px-4 py-3 sm:grid-cols-3 lg:grid-cols-5 ${isOpen ? "" : "max-sm:hidden"}`}
      >
        <TimePresets timeZone={timeZone} choose={(from) => filter({ from, to: null })} />
        <Field label={t("actor")}>{text("actor")}</Field>
        <Field label={t("action")}>{text("action", ids.actions)}</Field>
        <Field label={t("objectKind")}>{text("objectKind", ids.kinds)}</Field>
        <Field label={t("objectId")}>{text("objectId")}</Field>
        <Field label={t("eventType")}>{text("eventType")}</Field>
        <Field label={t("result")}>
          <select
            name="result"
            defaultValue={filters.result ?? ""}
            onChange={({ target }) => target.form?.requestSubmit()}
            className={FIELD}
          >
            <option value="">{t("anyResult")}</option>
            {RESULTS.map((result) => (
              <option key={result} value={result}>
                {t(`result_${result}`)}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t("from")}>{instant("from")}</Field>
        <Field label={t("to")}>{instant("to")}</Field>
        <Field label={t("correlation")}>{text("correlation")}</Field>
        <div className="flex items-end gap-2 ">
          <button type="submit" className="button h-7">
            {t("apply")}
          </button>
          {view.isFiltered && (
            <button type="button" className="button h-7" onClick={view.clear}>
              {t("clear")}
            </button>
          )}
        </div>
        <datalist id={ids.actions}>
          {ACTIONS.map((action) => (
            <option key={action} value={action} />
          ))}
        </datalist>
        <datalist id={ids.kinds}>
          {OBJECT_KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {t(`object_${kind}`)}
            </option>
          ))}
        </datalist>
      </form>
    </>
  );
}

const HOUR_MS = 3_600_000;
const PRESETS = ["hour", "day", "week", "today"] as const;

/** Ranges that end now, at one press; the other filters stay. */
function TimePresets({ timeZone, choose }: { timeZone: string; choose: (from: string | null) => void }) {
  const t = useTranslations("audit");
  const since = (preset: (typeof PRESETS)[number]): string | null => {
    const now = Date.now();
    switch (preset) {
      case "hour":
        return new Date(now - HOUR_MS).toISOString();
      case "day":
        return new Date(now - 24 * HOUR_MS).toISOString();
      case "week":
        return new Date(now - 7 * 24 * HOUR_MS).toISOString();
      case "today":
        return fromLocalInput(`${toLocalInput(new Date(now).toISOString(), timeZone).slice(0, 10)}T00:00`, timeZone);
    }
  };
  return (
    <div role="group" aria-label={t("presets")} className="col-span-full flex flex-wrap items-center gap-2">
      {PRESETS.map((preset) => (
        <button key={preset} type="button" className="button" onClick={() => choose(since(preset))}>
          {t(`preset_${preset}`)}
        </button>
      ))}
    </div>
  );
}

function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    <label className="grid min-w-0 gap-0.5">
      <span className="text-xs text-ink-2">{label}</span>
      {children}
    </label>
  );
}
