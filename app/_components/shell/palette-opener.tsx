"use client";

import dynamic from "next/dynamic";
import { useTranslations } from "next-intl";
import { usePathname } from "next/navigation";
import { useEffect, useEffectEvent, useState } from "react";
import { Icon } from "../icons.tsx";
import { rememberPath } from "./recent-places.ts";

// Loaded when first asked for.
const Palette = dynamic(() => import("./palette.tsx").then((part) => part.Palette), { ssr: false });

/** Opens the list of everything one can go to: by Ctrl or ⌘ and K from anywhere, or by its button. */
export function PaletteOpener() {
  const t = useTranslations("shell");
  const path = usePathname();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => rememberPath(path), [path]);

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const isAsked = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey;
    // A dialog that asks something is answered first.
    if (!isAsked || event.shiftKey || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    setOpen(true);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);

  return (
    <>
      <button
        type="button"
        aria-label={t("openPalette")}
        title={t("openPalette")}
        aria-keyshortcuts="Control+K Meta+K"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className="flex h-7 min-w-7 items-center justify-center gap-1 rounded-md px-1.5 text-xs text-ink-3 hover:bg-soft hover:text-ink"
      >
        <Icon name="search" className="size-4 sm:hidden" />
        <kbd className="rounded border border-line px-1 font-mono leading-4 max-sm:hidden">Ctrl K</kbd>
      </button>
      {isOpen && <Palette close={() => setOpen(false)} />}
    </>
  );
}
