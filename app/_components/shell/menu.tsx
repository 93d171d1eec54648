"use client";

import { Menu } from "@base-ui/react/menu";
import type { ReactNode } from "react";
import { useRefreshHold } from "../refresh.tsx";

/** A button that opens a menu below it: arrows move, letters find, Escape gives the focus back. */
export function ButtonMenu(props: {
  label: string;
  button: ReactNode;
  buttonClass: string;
  align?: "start" | "end";
  children: ReactNode;
}) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger aria-label={props.label} title={props.label} className={props.buttonClass}>
        {props.button}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align={props.align ?? "end"} sideOffset={4} className="z-30 outline-hidden">
          <Menu.Popup className="card min-w-44 py-1 shadow-lg outline-hidden">
            <HeldRefresh />
            {props.children}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

export function MenuItem({ onSelect, children }: { onSelect: () => void; children: ReactNode }) {
  return (
    <Menu.Item
      onClick={onSelect}
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
