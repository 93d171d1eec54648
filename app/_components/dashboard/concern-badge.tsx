"use client";

import { useTranslations } from "next-intl";
import { Badge, type BadgeLook } from "../badge.tsx";
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
} as const satisfies Record<Concern | "paused" | "normal", BadgeLook>;

/** The worst that is wrong with an event type, as icon and word; that it is paused is said beside it. */
export function ConcernBadge({ state }: { state: TypeState }) {
  const [worst] = state.concerns;
  return (
    <span className="flex gap-1.5">
      {worst && <StateBadge state={worst} />}
      {state.type.paused && <StateBadge state="paused" />}
      {!worst && !state.type.paused && <StateBadge state="normal" />}
    </span>
  );
}

function StateBadge({ state }: { state: keyof typeof LOOK }) {
  const t = useTranslations("types");
  return <Badge look={LOOK[state]}>{t(`is_${state}`)}</Badge>;
}
