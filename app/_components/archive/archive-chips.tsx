"use client";

import { useTranslations } from "next-intl";
import { Icon } from "../icons.tsx";
import { visibleText } from "../visible-text.ts";
import type { ArchiveView, ShowArchive } from "./archive-view.ts";

/** The filters that are on, each with a way to take it off. */
export function ArchiveChips({ view, show }: { view: ArchiveView; show: ShowArchive }) {
  const t = useTranslations("archive");
  const status = useTranslations("status");
  const chips: { readonly name: string; readonly value: string; readonly off: Partial<ArchiveView> }[] = [
    ...(view.type ?? []).map((type) => {
      const others = view.type?.filter((other) => other !== type) ?? [];
      return { name: t("eventType"), value: visibleText(type), off: { type: others.length > 0 ? others : null } };
    }),
    ...(view.state ? [{ name: t("state"), value: status(`${view.state}`), off: { state: null } }] : []),
    ...(view.key === null ? [] : [{ name: t("bizKey"), value: visibleText(view.key), off: { key: null } }]),
    ...(view.cause === null ? [] : [{ name: t("cause"), value: visibleText(view.cause), off: { cause: null } }]),
    ...(view.id === null ? [] : [{ name: t("id"), value: visibleText(view.id), off: { id: null } }]),
  ];
  if (chips.length === 0) return null;
  return (
    <ul className="flex flex-wrap items-center gap-1.5">
      {chips.map(({ name, value, off }) => (
        <li
          key={`${name} ${value}`}
          className="inline-flex max-w-full items-center gap-1 rounded-md bg-soft ps-2 text-xs"
        >
          <span className="text-ink-2">{name}</span>
          <span dir="auto" className="max-w-72 truncate font-medium" title={value}>
            {value}
          </span>
          <button
            type="button"
            aria-label={t("remove", { name, value })}
            className="grid size-6 place-items-center rounded text-ink-3 hover:text-ink"
            onClick={() => show(off)}
          >
            <Icon name="close" className="size-3" />
          </button>
        </li>
      ))}
      <li>
        <button
          type="button"
          className="min-h-6 px-1 text-xs text-accent hover:underline"
          onClick={() => show({ from: null, to: null, type: null, state: null, key: null, cause: null, id: null })}
        >
          {t("clearAll")}
        </button>
      </li>
    </ul>
  );
}
