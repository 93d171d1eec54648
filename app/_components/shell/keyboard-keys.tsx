"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import dynamic from "next/dynamic";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { KEYS_COOKIE, type KeysChoice } from "../../_preferences/choices.ts";
import { rememberPreference } from "../../_preferences/remember-preference.ts";
import { Icon } from "../icons.tsx";
import { useNavPages } from "../nav-links.tsx";
import { SEARCH_ID } from "./search-box.tsx";

// Loaded when first asked for.
const KeysDialog = dynamic(() => import("./keys-dialog.tsx").then((part) => part.KeysDialog), { ssr: false });

/** After `g`, the letter of a page. A page that is not in the person's navigation has no letter either. */
const LETTERS: Readonly<Record<string, string>> = { o: "/", t: "/tasks", a: "/archive", b: "/bulk", l: "/audit" };
const SEQUENCE_MS = 1_500;

/** The keys of the whole console, and the button that lists them, for nobody finds a key that is not shown. */
export function KeyboardKeys({ initial }: { initial: KeysChoice }) {
  const t = useTranslations("keys");
  const router = useRouter();
  const pages = useNavPages();
  const [choice, setChoice] = useState(initial);
  const [isHelpShown, setHelpShown] = useState(false);
  const goPressedAtMs = useRef(Number.NEGATIVE_INFINITY);
  const letters = Object.entries(LETTERS).filter(([, path]) => pages.some((page) => page.path === path));

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (choice === "off" || isTyping(event.target) || document.querySelector("dialog[open], [role=menu]")) return;
    const isGoing = performance.now() - goPressedAtMs.current < SEQUENCE_MS;
    goPressedAtMs.current = Number.NEGATIVE_INFINITY;
    const path = isGoing ? letters.find(([letter]) => letter === event.key)?.[1] : undefined;
    if (path !== undefined) router.push(path);
    else if (event.key === "g") goPressedAtMs.current = performance.now();
    else if (event.key === "?") setHelpShown(true);
    else if (event.key === "/") document.getElementById(SEARCH_ID)?.focus();
    else return;
    event.preventDefault();
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
        aria-label={t("show")}
        title={t("show")}
        aria-keyshortcuts="?"
        onClick={() => setHelpShown(true)}
        className="grid size-7 place-items-center rounded-md text-ink-2 hover:bg-soft hover:text-ink max-sm:hidden"
      >
        <Icon name="keyboard" />
      </button>
      {isHelpShown && (
        <KeysDialog
          letters={letters}
          choice={choice}
          choose={(next) => {
            rememberPreference(KEYS_COOKIE, next);
            setChoice(next);
          }}
          close={() => setHelpShown(false)}
        />
      )}
    </>
  );
}

/** Where letters are text, or choose something. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest("input, textarea, select, [role=listbox], [role=combobox], [role=grid]") !== null)
  );
}
