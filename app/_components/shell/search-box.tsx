"use client";

import { useTranslations } from "next-intl";
import { useRouter } from "next/navigation";
import { type SubmitEvent, useState } from "react";
import { Icon } from "../icons.tsx";
import { searchAddress } from "./search-address.ts";

export const SEARCH_ID = "search-everywhere";

/** Finds a task by its id, or tasks by what else is known of them, from every page. */
export function SearchBox() {
  const t = useTranslations("shell");
  const router = useRouter();
  const [text, setText] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const address = searchAddress(text);
    if (address === undefined) return;
    setText("");
    document.getElementById(SEARCH_ID)?.blur();
    router.push(address);
  };
  return (
    <form role="search" onSubmit={submit} className="relative min-w-40 flex-1 max-sm:hidden sm:max-w-72">
      <Icon name="search" className="pointer-events-none absolute start-2 top-[7px] size-3.5 text-ink-3" />
      <input
        id={SEARCH_ID}
        type="search"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
        aria-label={t("search")}
        aria-keyshortcuts="/"
        placeholder={t("searchHint")}
        maxLength={191}
        autoComplete="off"
        spellCheck={false}
        className="h-7 w-full rounded-md border border-line bg-page ps-7 pe-2 placeholder:text-ink-3"
      />
    </form>
  );
}
