"use client";

import { Autocomplete } from "@base-ui/react/autocomplete";
import { useTranslations } from "next-intl";
import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import { Icon } from "../icons.tsx";
import { useModalDialog } from "../use-modal-dialog.ts";
import { type Goal, type GoalGroup, useGoals } from "./use-goals.ts";

/** Everything one can go to, found by typing. Enter goes there; Escape closes and gives the focus back. */
export function Palette({ close }: { close: () => void }) {
  const t = useTranslations("palette");
  const router = useRouter();
  const titleId = useId();
  const dialog = useModalDialog(close);
  const [text, setText] = useState("");
  const groups = useGoals(text);
  const go = (goal: Goal) => {
    close();
    router.push(goal.path);
  };
  return (
    <dialog
      {...dialog}
      aria-labelledby={titleId}
      onClick={(event) => {
        if (event.target === event.currentTarget) close();
      }}
      className="card fixed mx-auto mt-[12dvh] w-[min(560px,calc(100vw-24px))] overflow-hidden text-ink shadow-2xl"
    >
      <h2 id={titleId} className="sr-only">
        {t("title")}
      </h2>
      <Autocomplete.Root
        inline
        open
        items={groups}
        filter={null}
        value={text}
        onValueChange={(next, { reason }) => {
          // What is chosen is gone to, not written into the field.
          if (reason !== "item-press") setText(next);
        }}
        autoHighlight="always"
        keepHighlight
        itemToStringValue={(goal: Goal) => goal.name}
      >
        <div className="flex items-center gap-2 border-b border-line px-3">
          <Icon name="search" className="size-4 text-ink-3" />
          <Autocomplete.Input
            autoFocus
            aria-label={t("hint")}
            placeholder={t("hint")}
            maxLength={191}
            spellCheck={false}
            className="h-11 min-w-0 flex-1 bg-transparent text-base outline-hidden placeholder:text-ink-3"
          />
        </div>
        <Autocomplete.Empty className="px-4 py-6 text-center text-ink-2 empty:hidden">
          {t("nothing")}
        </Autocomplete.Empty>
        <Autocomplete.List aria-label={t("title")} className="max-h-[52dvh] overflow-y-auto overscroll-contain pb-1.5">
          {(group: GoalGroup) => (
            <Autocomplete.Group key={group.key} items={group.items}>
              <Autocomplete.GroupLabel className="px-4 pt-2 pb-1 text-xs text-ink-3">
                {group.label}
              </Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(goal: Goal) => (
                  <Autocomplete.Item
                    key={goal.path}
                    value={goal}
                    onClick={() => go(goal)}
                    className="mx-1.5 flex min-h-8 cursor-pointer items-center gap-2.5 rounded-md px-2.5 outline-hidden data-highlighted:bg-soft"
                  >
                    <Icon name={goal.icon} className="size-3.5 text-ink-3" />
                    <span dir="auto" className="min-w-0 truncate">
                      {goal.name}
                    </span>
                    {goal.note && <span className="ms-auto text-xs text-ink-3">{goal.note}</span>}
                  </Autocomplete.Item>
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
      <p aria-hidden="true" className="border-t border-line px-4 py-1.5 text-xs text-ink-3 max-sm:hidden">
        {t("keys")}
      </p>
    </dialog>
  );
}
