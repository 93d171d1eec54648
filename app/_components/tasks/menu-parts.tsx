"use client";

import { Menu } from "@base-ui/react/menu";
import type { ReactNode } from "react";
import { useRefreshHold } from "../refresh.tsx";

export const MENU_ITEM =
  "flex min-h-7 w-full cursor-pointer items-center gap-2 rounded px-2 text-start outline-none select-none data-highlighted:bg-soft data-disabled:cursor-default data-disabled:text-ink-3";

/** The frame of a menu. Nothing moves under it while it is open. */
export function MenuPopup({ align = "end", children }: { align?: "start" | "end"; children: ReactNode }) {
  return (
    <Menu.Portal>
      <Menu.Positioner sideOffset={4} align={align} collisionPadding={8} className="z-30">
        <Menu.Popup className="card max-h-[min(640px,var(--available-height))] min-w-48 overflow-y-auto p-1 text-ink shadow-xl outline-none">
          <Held />
          {children}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  );
}

function Held() {
  useRefreshHold();
  return null;
}
