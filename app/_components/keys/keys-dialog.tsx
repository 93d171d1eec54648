"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { Modal } from "../modal.tsx";
import { type PageKey, useKeys } from "./keys.tsx";

/** The words that operators decide by, in the order in which they meet them. */
const WORDS = ["due", "failed", "stuck", "recycled", "reset", "replay", "archive"] as const;

type Listed = Pick<PageKey, "key" | "text" | "shown">;

/** Lists the keys that act on this page and what the console's words mean, and turns the single letters off for whom they are in the way. */
export function KeysDialog({ close }: { close: () => void }) {
  const t = useTranslations("keys");
  const words = useTranslations("words");
  const { isOn, choose, all } = useKeys();
  const [keys] = useState(() => listedOf(all()));
  const always: readonly Listed[] = [
    { key: "k", shown: ["Ctrl / ⌘", "K"], text: t("palette") },
    { key: "Enter", text: t("enter") },
    { key: "Escape", shown: ["Esc"], text: t("escape") },
  ];
  const here = keys.filter(({ isEverywhere }) => !isEverywhere);
  return (
    <Modal title={t("title")} close={close} place="wide">
      {here.length > 0 && <KeyGroup name={t("here")} keys={here} isOn={isOn} />}
      <KeyGroup name={t("everywhere")} keys={keys.filter(({ isEverywhere }) => isEverywhere)} isOn={isOn} />
      <KeyGroup name={t("always")} keys={always} isOn />
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={isOn} onChange={({ target }) => choose(target.checked ? "on" : "off")} />
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
        <button type="button" autoFocus className="button min-h-8" onClick={close}>
          {t("close")}
        </button>
      </div>
    </Modal>
  );
}

function KeyGroup({ name, keys, isOn }: { name: string; keys: readonly Listed[]; isOn: boolean }) {
  return (
    <section className={isOn ? "" : "text-ink-3 line-through"}>
      <h3 className="mb-1.5 text-xs text-ink-2">{name}</h3>
      <dl className="grid grid-cols-[minmax(84px,auto)_1fr] items-center gap-x-4 gap-y-1.5">
        {keys.map(({ key, text, shown = [key] }) => (
          <div key={key} className="col-span-2 grid grid-cols-subgrid">
            <dt className="flex gap-1">
              {shown.map((one) => (
                <kbd
                  key={one}
                  className="min-w-6 rounded border border-line bg-soft px-1.5 text-center font-mono text-xs leading-5"
                >
                  {one}
                </kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Each key once, as it acts first. */
function listedOf(keys: readonly PageKey[]): readonly PageKey[] {
  const named = keys.filter(({ text }) => text !== undefined);
  return named.filter(({ key }, index) => named.findIndex((one) => one.key === key) === index);
}
