"use client";

import { useTranslations } from "next-intl";
import { describeZone } from "./format-time.ts";
import { Icon } from "./icons.tsx";
import { useZone } from "./zone.tsx";

/** Names the zone of all times on the page; pressed, it changes between the person's zone and UTC. */
export function ZoneSwitch() {
  const t = useTranslations("shell");
  const { timeZone, choice, choose } = useZone();
  if (timeZone === undefined) return null;
  const zone = describeZone(timeZone, new Date());
  const other = choice === "utc" ? t("localZone") : "UTC";
  return (
    <button
      type="button"
      aria-label={t("zone", { zone, other })}
      title={t("zone", { zone, other })}
      onClick={() => choose(choice === "utc" ? "local" : "utc")}
      className="flex h-7 items-center gap-1.5 rounded-md px-1.5 text-xs text-ink-2 hover:bg-soft hover:text-ink"
    >
      <Icon name="globe" />
      <span className="header-words max-[1439px]:sr-only">{zone}</span>
    </button>
  );
}
