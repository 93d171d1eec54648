"use client";

import { useTranslations } from "next-intl";
import { Icon, type IconName } from "../icons.tsx";
import type { Concern, TypeState } from "./verdict.ts";

const LOOK = {
  very_late: { icon: "clock", colours: "text-failed bg-failed-tint" },
  failed: { icon: "octagon", colours: "text-failed bg-failed-tint" },
  late: { icon: "clock", colours: "text-retrying bg-retrying-tint" },
  recycled: { icon: "unplug", colours: "text-recycled bg-recycled-tint" },
  rejected: { icon: "slash", colours: "text-retrying bg-retrying-tint" },
  failing: { icon: "redrive", colours: "text-retrying bg-retrying-tint" },
  paused: { icon: "pause", colours: "text-pending bg-pending-tint" },
  normal: { icon: "check", colours: "text-ink-3" },
} as const satisfies Record<Concern | "paused" | "normal", { icon: IconName; colours: string }>;

/** The worst that is wrong with an event type, as icon and word; that it is paused is said beside it. */
export function ConcernBadge({ state }: { state: TypeState }) {
  const [worst] = state.concerns;
  return (
    <span className="flex gap-1.5">
      {worst && <Badge look={worst} />}
      {state.type.paused && <Badge look="paused" />}
      {!worst && !state.type.paused && <Badge look="normal" />}
    </span>
  );
}

function Badge({ look }: { look: keyof typeof LOOK }) {
  const t = useTranslations("types");
  const { icon, colours } = LOOK[look];
  return (
    <span className={`inline-flex items-center gap-1.5 rounded-[5px] px-1.5 py-px text-xs font-medium ${colours}`}>
      <Icon name={icon} className="size-3" />
      {t(`is_${look}`)}
    </span>
  );
}
