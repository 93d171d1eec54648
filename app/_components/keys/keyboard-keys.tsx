"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import dynamic from "next/dynamic";
import { useState } from "react";
import { Icon } from "../icons.tsx";
import { useNavPages } from "../nav-links.tsx";
import { SEARCH_ID } from "../shell/search-box.tsx";
import { type PageKey, usePageKeys } from "./keys.tsx";

// Loaded when first asked for.
const KeysDialog = dynamic(() => import("./keys-dialog.tsx").then((part) => part.KeysDialog), { ssr: false });

/** After `g`, the letter of a page. A page that is not in the person's navigation has no letter either. */
const LETTERS: Readonly<Record<string, string>> = {
  "/": "o",
  "/tasks": "t",
  "/causes": "c",
  "/bulk": "b",
  "/archive": "a",
  "/audit": "l",
};

/** The keys of the whole console, and the button that lists all, for nobody finds a key that is not shown. */
export function KeyboardKeys() {
  const t = useTranslations("keys");
  const page = useTranslations("pages");
  const router = useRouter();
  const pages = useNavPages();
  const [isHelpShown, setHelpShown] = useState(false);
  const isEverywhere = true as const;
  usePageKeys([
    { key: "?", text: t("help"), isEverywhere, run: () => setHelpShown(true) },
    { key: "/", text: t("search"), isEverywhere, run: () => document.getElementById(SEARCH_ID)?.focus() },
    ...pages.flatMap(({ path, key }): PageKey[] => {
      const letter = LETTERS[path];
      const text = t("go", { page: page(`${key}`) });
      const run = () => router.push(path);
      return letter === undefined ? [] : [{ key: `g ${letter}`, shown: ["g", letter], text, isEverywhere, run }];
    }),
  ]);
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
      {isHelpShown && <KeysDialog close={() => setHelpShown(false)} />}
    </>
  );
}
