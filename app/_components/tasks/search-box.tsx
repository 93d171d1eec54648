"use client";

import { Search as SearchIcon } from "lucide-react";
import { useTranslations } from "next-intl";
import { useId, useRef } from "react";
import { parseSearch, type Search } from "./search-text.ts";

export const SEARCH_BOX_ID = "task-search";

/** One box for what people have at hand: a key, an id, a type, an error, a worker. Enter adds it to the filters. */
export function SearchBox({ search }: { search: (found: Search) => void }) {
  const t = useTranslations("tasks");
  const hintId = useId();
  const box = useRef<HTMLInputElement>(null);
  return (
    <form
      role="search"
      className="relative min-w-56 flex-1 max-sm:basis-full sm:max-w-md"
      onSubmit={(event) => {
        event.preventDefault();
        const found = parseSearch(box.current?.value ?? "");
        if (Object.keys(found).length === 0) return;
        if (box.current) box.current.value = "";
        search(found);
      }}
    >
      <SearchIcon aria-hidden="true" className="absolute start-2 top-1/2 size-3.5 -translate-y-1/2 text-ink-3" />
      <input
        ref={box}
        id={SEARCH_BOX_ID}
        type="search"
        name="search"
        autoComplete="off"
        spellCheck={false}
        maxLength={12_000}
        aria-label={t("search")}
        aria-describedby={hintId}
        placeholder={t("searchPlaceholder")}
        className="min-h-8 w-full rounded-md border border-line bg-page ps-7 pe-2 placeholder:text-ink-3"
      />
      <span id={hintId} className="sr-only">
        {t("searchHint")}
      </span>
    </form>
  );
}
