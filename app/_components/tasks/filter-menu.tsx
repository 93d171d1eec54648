"use client";

import { Popover } from "@base-ui/react/popover";
import { useQuery } from "@tanstack/react-query";
import { ListFilter } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ReactNode, useId, useRef, useState } from "react";
import type { EventTypeName } from "../../_server/list-event-types.ts";
import { type ApiError, getJson } from "../api-client.ts";
import { fromLocalInput, toLocalInput } from "../audit/local-time.ts";
import { usePageKeys } from "../keys/keys.tsx";
import { useRefreshHold } from "../refresh.tsx";
import { visibleText } from "../visible-text.ts";
import { useZone } from "../zone.tsx";
import { type FilterWords, joinWords, splitWords } from "./list-view.ts";

type MenuWord =
  "eventType" | "minAttempts" | "overdueSeconds" | "recycled" | "wasReset" | "createdFrom" | "createdTo" | "payload";
type MenuWords = Record<MenuWord, string | null>;
const DAY_MS = 86_400_000;

/** Filters that need no search text. They apply together, when the person says so. */
export function FilterMenu(props: { filter: FilterWords; apply: (words: MenuWords) => void }) {
  const t = useTranslations("tasks");
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const keys = useTranslations("keys");
  const open = () => {
    // The focus returns to where it was when the menu opened.
    trigger.current?.focus();
    setOpen(true);
  };
  usePageKeys([{ key: "f", text: keys("filter"), run: open }]);
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger ref={trigger} aria-keyshortcuts="F" className="button min-h-8">
        <ListFilter aria-hidden="true" className="size-3.5" />
        {t("filter")}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" collisionPadding={8} className="z-30">
          <Popover.Popup className="card max-h-[var(--available-height)] w-80 max-w-[calc(100vw-16px)] overflow-y-auto p-4 text-ink shadow-xl">
            <Popover.Title className="sr-only">{t("filter")}</Popover.Title>
            <FilterForm
              filter={props.filter}
              apply={(words) => {
                setOpen(false);
                props.apply(words);
              }}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function FilterForm({ filter, apply }: Parameters<typeof FilterMenu>[0]) {
  const t = useTranslations("tasks");
  const names = useTranslations("taskFilter");
  const hintId = useId();
  useRefreshHold();
  const { timeZone = "UTC" } = useZone();
  const [problem, setProblem] = useState<"payloadType" | "payloadRange">();
  const [types, setTypes] = useState<ReadonlySet<string>>(() => new Set(splitWords(filter.eventType)));
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        const text = (name: string) => String(data.get(name) ?? "").trim();
        const minutes = Number(text("overdueMinutes"));
        const payload = text("payload") || null;
        const created = {
          createdFrom: instantOf(text("createdFrom"), filter.createdFrom, timeZone),
          createdTo: instantOf(text("createdTo"), filter.createdTo, timeZone),
        };
        const range = payload === null ? created : dayWithin(created);
        if (payload !== null && types.size !== 1) return setProblem("payloadType");
        if (range === undefined) return setProblem("payloadRange");
        apply({
          eventType: joinWords([...types]),
          minAttempts: text("minAttempts") || null,
          overdueSeconds: minutes > 0 ? String(Math.round(minutes * 60)) : null,
          recycled: data.get("recycled") ? "true" : null,
          wasReset: data.get("wasReset") ? "true" : null,
          payload,
          ...range,
        });
      }}
    >
      <TypeChoice chosen={types} choose={setTypes} />
      <div className="grid grid-cols-2 items-end gap-3">
        <Field label={t("minAttempts")}>
          {(id) => (
            <input
              id={id}
              name="minAttempts"
              type="number"
              min={1}
              max={1_000_000}
              className={INPUT}
              defaultValue={filter.minAttempts}
            />
          )}
        </Field>
        <Field label={t("overdueMinutes")}>
          {(id) => (
            <input
              id={id}
              name="overdueMinutes"
              type="number"
              min={1}
              max={527_040}
              className={INPUT}
              defaultValue={filter.overdueSeconds && String(Math.round(Number(filter.overdueSeconds) / 60))}
            />
          )}
        </Field>
      </div>
      <Field label={names("createdFrom")}>
        {(id) => (
          <input
            id={id}
            name="createdFrom"
            type="datetime-local"
            className={INPUT}
            defaultValue={toLocalInput(filter.createdFrom ?? null, timeZone)}
          />
        )}
      </Field>
      <Field label={names("createdTo")}>
        {(id) => (
          <input
            id={id}
            name="createdTo"
            type="datetime-local"
            className={INPUT}
            defaultValue={toLocalInput(filter.createdTo ?? null, timeZone)}
          />
        )}
      </Field>
      <div className="grid grid-cols-2 gap-3">
        {(["recycled", "wasReset"] as const).map((name) => (
          <label key={name} className="flex items-center gap-2">
            <input
              type="checkbox"
              name={name}
              defaultChecked={filter[name] !== undefined}
              className="size-4 accent-accent"
            />
            {names(name)}
          </label>
        ))}
      </div>
      <Field label={names("payload")}>
        {(id) => (
          <input
            id={id}
            name="payload"
            minLength={3}
            maxLength={200}
            spellCheck={false}
            autoComplete="off"
            aria-describedby={hintId}
            className={INPUT}
            defaultValue={filter.payload}
          />
        )}
      </Field>
      <p id={hintId} className="-mt-2 text-xs text-ink-3">
        {t("payloadHint")}
      </p>
      {problem && (
        <p role="alert" className="text-xs text-failed">
          {t(`${problem}`)}
        </p>
      )}
      <p className="text-xs text-ink-3">{t("scanHint")}</p>
      <button type="submit" className="button button-primary min-h-8">
        {t("apply")}
      </button>
    </form>
  );
}

const INPUT = "min-h-8 w-full min-w-0 rounded-md border border-line bg-page px-2";

function Field({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-xs text-ink-2">
        {label}
      </label>
      {children(id)}
    </div>
  );
}

function TypeChoice(props: { chosen: ReadonlySet<string>; choose: (chosen: ReadonlySet<string>) => void }) {
  const t = useTranslations("tasks");
  const { data, isError } = useQuery<{ readonly eventTypes: readonly EventTypeName[] }, ApiError>({
    queryKey: ["/api/v1/event-types"],
    queryFn: ({ signal }) => getJson("/api/v1/event-types", signal),
    retry: false,
    staleTime: 30_000,
  });
  const [part, setPart] = useState("");
  const known = new Set([...props.chosen, ...(data?.eventTypes ?? []).map(({ eventType }) => eventType)]);
  const shown = [...known].filter((name) => name.toLowerCase().includes(part.toLowerCase())).sort();
  const toggle = (name: string) => {
    const next = new Set(props.chosen);
    if (!next.delete(name)) next.add(name);
    props.choose(next);
  };
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 text-xs text-ink-2">{t("eventType")}</legend>
      {known.size > 8 && (
        <input
          type="search"
          aria-label={t("findType")}
          placeholder={t("findType")}
          className={INPUT}
          value={part}
          onChange={({ target }) => setPart(target.value)}
        />
      )}
      <div
        tabIndex={0}
        role="group"
        aria-label={t("eventType")}
        className="max-h-40 overflow-y-auto rounded-md border border-line p-1"
      >
        {shown.slice(0, 200).map((name) => (
          <label key={name} className="flex min-h-6 items-center gap-2 rounded px-1.5 hover:bg-soft">
            <input
              type="checkbox"
              checked={props.chosen.has(name)}
              onChange={() => toggle(name)}
              className="size-4 shrink-0 accent-accent"
            />
            <span className="truncate" title={visibleText(name)}>
              {visibleText(name)}
            </span>
          </label>
        ))}
        {shown.length === 0 && (
          <p role="status" className="px-1.5 text-ink-3">
            {isError ? t("typesUnread") : data === undefined ? t("typesLoading") : t("noTypes")}
          </p>
        )}
      </div>
    </fieldset>
  );
}

/** The instant of a field, which holds no seconds: left as it was, it means what it meant before. */
function instantOf(text: string, before: string | undefined, timeZone: string): string | null {
  const isAsBefore = before !== undefined && text === toLocalInput(before, timeZone);
  return isAsBefore ? before : fromLocalInput(text, timeZone);
}

/** The range with what it leaves open a day away from the other end, or from now; undefined if it is longer than that. */
function dayWithin({ createdFrom, createdTo }: Pick<MenuWords, "createdFrom" | "createdTo">) {
  const end = createdTo ?? new Date(createdFrom === null ? Date.now() : Date.parse(createdFrom) + DAY_MS).toISOString();
  const start = createdFrom ?? new Date(Date.parse(end) - DAY_MS).toISOString();
  const length = Date.parse(end) - Date.parse(start);
  return length > 0 && length <= DAY_MS ? { createdFrom: start, createdTo: end } : undefined;
}
