"use client";

import { Menu } from "@base-ui/react/menu";
import { createContext, type ReactNode, type RefObject, use, useRef } from "react";
import { useRefreshHold } from "../refresh.tsx";

/** What was chosen, until the menu has closed. */
const ChosenContext = createContext<RefObject<(() => void) | undefined>>({ current: undefined });

/**
 * A button that opens a menu below it: arrows move, letters find, Escape gives the focus back. What is
 * chosen is done when the menu has closed and the button has the focus again, so that a dialog gives it back to there.
 */
export function ButtonMenu(props: {
  label: string;
  button: ReactNode;
  buttonClass: string;
  align?: "start" | "end";
  children: ReactNode;
}) {
  const chosen = useRef<() => void>(undefined);
  const trigger = useRef<HTMLButtonElement>(null);
  const actOnChosen = (isOpen: boolean) => {
    const act = chosen.current;
    chosen.current = undefined;
    if (isOpen || !act) return;
    trigger.current?.focus();
    act();
  };
  return (
    <Menu.Root modal={false} onOpenChangeComplete={actOnChosen}>
      <Menu.Trigger ref={trigger} aria-label={props.label} title={props.label} className={props.buttonClass}>
        {props.button}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align={props.align ?? "end"} sideOffset={4} className="z-30 outline-hidden">
          <Menu.Popup className="card min-w-44 py-1 shadow-lg outline-hidden">
            <HeldRefresh />
            <ChosenContext value={chosen}>{props.children}</ChosenContext>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

export function MenuItem({ onSelect, children }: { onSelect: () => void; children: ReactNode }) {
  const chosen = use(ChosenContext);
  return (
    <Menu.Item
      onClick={() => {
        chosen.current = onSelect;
      }}
      className="flex min-h-8 cursor-pointer items-center gap-2 px-3 outline-hidden data-highlighted:bg-soft"
    >
      {children}
    </Menu.Item>
  );
}

export function MenuLine() {
  return <Menu.Separator className="my-1 h-px bg-line" />;
}

function HeldRefresh() {
  useRefreshHold();
  return null;
}
