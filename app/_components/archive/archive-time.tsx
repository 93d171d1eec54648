"use client";

import { useLocale, useTranslations } from "next-intl";
import { useId, useState } from "react";
import { useZone } from "../zone.tsx";
import { fromField, isAskable, lastDays, recentMonths, toField } from "./archive-range.ts";
import type { ArchiveView, ShowArchive } from "./archive-view.ts";

const FIELD = "h-7 min-w-0 rounded-md border border-line bg-card px-2";

/** When the tasks were archived: a few days, a month, or any time of at most 31 days. */
export function ArchiveTime({ view, show }: { view: ArchiveView; show: ShowArchive }) {
  const t = useTranslations("archive");
  const locale = useLocale();
  const { timeZone = "UTC" } = useZone();
  const ids = { range: useId(), from: useId(), to: useId(), problem: useId() };
  const [now] = useState(() => new Date());
  const [isCustom, setCustom] = useState(false);
  const months = recentMonths(now, timeZone);
  const isAnyTime = view.key !== null || view.id !== null;
  const isSet = view.from !== null || view.to !== null;
  const month = months.findIndex(({ from, to }) => from === view.from && to === view.to);
  const value = isCustom ? "custom" : !isSet ? "default" : month === -1 ? "custom" : `month ${month}`;
  const [from, setFrom] = useState(() => toField(view.from ?? lastDays(now, 7).from, timeZone));
  const [to, setTo] = useState(() => toField(view.to ?? lastDays(now, 7).to, timeZone));
  const range = { from: fromField(from, timeZone), to: fromField(to, timeZone) };
  const isValid = isAskable(range.from, range.to);
  const choose = (choice: string) => {
    setCustom(choice === "custom");
    if (choice === "default") show({ from: null, to: null });
    if (choice === "day") show(lastDays(now, 1));
    if (choice === "31days") show(lastDays(now, 31));
    const chosen = months[Number(choice.replace("month ", ""))];
    if (choice.startsWith("month ") && chosen) show({ from: chosen.from, to: chosen.to });
  };
  return (
    <>
      <div className="grid gap-0.5">
        <label htmlFor={ids.range} className="text-xs text-ink-2">
          {t("range")}
        </label>
        <select id={ids.range} value={value} onChange={({ target }) => choose(target.value)} className={FIELD}>
          <option value="default">{isAnyTime ? t("rangeAll") : t("rangeDefault")}</option>
          <option value="day">{t("rangeDay")}</option>
          <option value="31days">{t("rangeMonth")}</option>
          {months.map(({ start }, index) => (
            <option key={start.getTime()} value={`month ${index}`}>
              {new Intl.DateTimeFormat(locale, { timeZone, year: "numeric", month: "long" }).format(start)}
            </option>
          ))}
          <option value="custom">{t("rangeCustom")}</option>
        </select>
      </div>
      {value === "custom" && (
        <form
          className="flex flex-wrap items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (range.from !== undefined && range.to !== undefined && isValid) show({ from: range.from, to: range.to });
          }}
        >
          <div className="grid gap-0.5">
            <label htmlFor={ids.from} className="text-xs text-ink-2">
              {t("from")}
            </label>
            <input
              id={ids.from}
              type="datetime-local"
              value={from}
              onChange={({ target }) => setFrom(target.value)}
              className={FIELD}
            />
          </div>
          <div className="grid gap-0.5">
            <label htmlFor={ids.to} className="text-xs text-ink-2">
              {t("to")}
            </label>
            <input
              id={ids.to}
              type="datetime-local"
              value={to}
              aria-invalid={!isValid}
              aria-describedby={isValid ? undefined : ids.problem}
              onChange={({ target }) => setTo(target.value)}
              className={FIELD}
            />
          </div>
          <button type="submit" className="button min-h-7" disabled={!isValid}>
            {t("apply")}
          </button>
          {!isValid && (
            <p id={ids.problem} className="self-center text-xs text-warn">
              {t("rangeProblem")}
            </p>
          )}
        </form>
      )}
    </>
  );
}
