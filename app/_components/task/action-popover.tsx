"use client";

import { Popover } from "@base-ui/react/popover";
import { useTranslations } from "next-intl";
import { type KeyboardEvent, type ReactNode, type SubmitEvent, useId, useRef, useState } from "react";
import { useKeys, usePageKeys } from "../keys/keys.tsx";
import { useRefreshHold } from "../refresh.tsx";

const REASON_CHARACTERS_MAX = 500;

/**
 * A small form beside its button that says what an action will do before it is done; the page stays usable. Ctrl or ⌘ and
 * Enter confirm, Escape closes, and the focus goes back to the button. `shortcut` opens it from anywhere on the page.
 */
export function ActionPopover(props: {
  trigger: ReactNode;
  isPrimary?: boolean;
  shortcut?: string;
  title: string;
  text?: string;
  confirm: string;
  isReasonRequired?: boolean;
  isWorking: boolean;
  children?: ReactNode;
  /** Answers whether the form is done with. */
  act: (reason: string) => Promise<boolean>;
}) {
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const { isOn } = useKeys();
  const open = () => {
    trigger.current?.focus();
    setOpen(true);
  };
  usePageKeys(props.shortcut === undefined ? [] : [{ key: props.shortcut, text: props.title, run: open }]);
  return (
    <Popover.Root open={isOpen} onOpenChange={(open) => setOpen(open)}>
      <Popover.Trigger
        ref={trigger}
        className={`button ${props.isPrimary ? "button-primary" : ""}`}
        aria-keyshortcuts={isOn ? props.shortcut?.toUpperCase() : undefined}
      >
        {props.trigger}
        {props.shortcut && isOn && (
          <kbd aria-hidden="true" className="rounded border border-current px-1 text-[10px] leading-4 opacity-70">
            {props.shortcut.toUpperCase()}
          </kbd>
        )}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" collisionPadding={8} className="z-20">
          <Popover.Popup className="card max-h-[var(--available-height)] w-[min(440px,calc(100vw-16px))] overflow-y-auto text-ink shadow-2xl focus:outline-none">
            <ActionForm {...props} close={() => setOpen(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function ActionForm(props: Parameters<typeof ActionPopover>[0] & { close: () => void }) {
  const { isWorking, isReasonRequired = false } = props;
  const t = useTranslations("act");
  const ids = { reason: useId(), hint: useId() };
  const [reason, setReason] = useState("");
  useRefreshHold();
  const isReady = !isWorking && (!isReasonRequired || reason.trim() !== "");
  const submit = async (event: SubmitEvent | KeyboardEvent) => {
    event.preventDefault();
    if (isReady && (await props.act(reason))) props.close();
  };
  return (
    <form
      onSubmit={(event) => void submit(event)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit(event);
      }}
      className="grid gap-3 p-4"
    >
      <Popover.Title className="text-base font-semibold">{props.title}</Popover.Title>
      {props.text && <Popover.Description className="text-ink-2">{props.text}</Popover.Description>}
      {props.children}
      <div className="grid gap-1">
        <label htmlFor={ids.reason} className="text-ink-2">
          {isReasonRequired ? t("reasonRequired") : t("reason")}
        </label>
        <textarea
          id={ids.reason}
          aria-describedby={ids.hint}
          required={isReasonRequired}
          rows={2}
          maxLength={REASON_CHARACTERS_MAX}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
          className="resize-y rounded-md border border-line bg-page px-2.5 py-1.5"
        />
        <p id={ids.hint} className="text-xs text-ink-3">
          {t("reasonHint")}
        </p>
      </div>
      <div className="flex justify-end gap-2">
        <Popover.Close className="button min-h-8">{t("keep")}</Popover.Close>
        <button type="submit" className="button button-primary min-h-8" aria-disabled={!isReady}>
          {isWorking ? t("working") : props.confirm}
        </button>
      </div>
    </form>
  );
}
