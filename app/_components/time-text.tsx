"use client";

import { useLocale } from "next-intl";
import { formatAgo, formatInstant } from "./format-time.ts";
import { Instant } from "./instant.tsx";
import { useZone } from "./zone.tsx";

/** An instant in the person's zone with its age by the server's clock; the tooltip adds the zone and UTC. */
export function TimeText({ at, asOf }: { at: string; asOf: string }) {
  const locale = useLocale();
  const { timeZone = "UTC" } = useZone();
  return (
    <Instant at={at}>
      {formatInstant(new Date(at), locale, timeZone)}
      <span className="ms-2 text-ink-3">{formatAgo(Date.parse(asOf) - Date.parse(at), locale)}</span>
    </Instant>
  );
}
