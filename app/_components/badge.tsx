import type { ReactNode } from "react";
import { Icon, type IconName } from "./icons.tsx";

/** How a state looks: a silhouette of its own and a colour; the word beside them says which it is. */
export interface BadgeLook {
  readonly icon: IconName;
  readonly colours: string;
}

export function Badge({ look, children }: { look: BadgeLook; children: ReactNode }) {
  // Without a tint of its own it stands where a text would.
  const edge = look.colours.includes("bg-") ? "px-1.5" : "";
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-[5px] py-px text-xs font-medium whitespace-nowrap ${edge} ${look.colours}`}
    >
      <Icon name={look.icon} className="size-3" />
      {children}
    </span>
  );
}
