"use client";

import { useTranslations } from "next-intl";
import type { KeysChoice } from "../../_preferences/choices.ts";
import { Modal } from "../modal.tsx";
import { PAGES } from "../nav-links.tsx";

/** The words that operators decide by, in the order in which they meet them. */
const WORDS = ["due", "failed", "stuck", "recycled", "reset", "replay", "archive"] as const;

/** Lists the keys of the console and what its words mean, and turns the single letters off for whom they are in the way. */
export function KeysDialog(props: {
  letters: readonly (readonly [letter: string, path: string])[];
  choice: KeysChoice;
  choose: (choice: KeysChoice) => void;
  close: () => void;
}) {
  const t = useTranslations("keys");
  const page = useTranslations("pages");
  const words = useTranslations("words");
  const keys = [
    { keys: ["?"], text: t("help") },
    { keys: ["/"], text: t("search") },
    { keys: ["Ctrl", "K"], text: t("palette") },
    ...props.letters.flatMap(([letter, path]) => {
      const known = PAGES.find((one) => one.path === path);
      return known ? [{ keys: ["g", letter], text: t("go", { page: page(`${known.key}`) }) }] : [];
    }),
    { keys: ["Esc"], text: t("escape") },
  ];
  return (
    <Modal title={t("title")} close={props.close} isWide>
      <h3 className="font-semibold">{t("keys")}</h3>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1.5">
        {keys.map((one) => (
          <div key={one.keys.join(" ")} className="col-span-2 grid grid-cols-subgrid">
            <dt className="flex gap-1">
              {one.keys.map((key) => (
                <kbd
                  key={key}
                  className="min-w-6 rounded border border-line bg-soft px-1.5 text-center font-mono text-xs leading-5"
                >
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{one.text}</dd>
          </div>
        ))}
      </dl>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={props.choice === "on"}
          onChange={({ target }) => props.choose(target.checked ? "on" : "off")}
        />
        {t("lettersOn")}
      </label>
      <p className="text-xs text-ink-3">{t("lettersHint")}</p>
      <h3 className="mt-1 font-semibold">{t("words")}</h3>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
        {WORDS.map((word) => (
          <div key={word} className="col-span-2 grid grid-cols-subgrid">
            <dt className="font-medium">{words(`${word}`)}</dt>
            <dd className="text-ink-2">{words(`${word}Text`)}</dd>
          </div>
        ))}
      </dl>
      <div className="flex justify-end">
        <button type="button" autoFocus className="button min-h-8" onClick={props.close}>
          {t("close")}
        </button>
      </div>
    </Modal>
  );
}
