"use client";

import { useLocale } from "next-intl";
import { describeZone, formatAgo, formatInstant } from "./format-time.ts";
import { useZone } from "./zone.tsx";

/** An instant in the person's zone with its age by the server's clock; the tooltip adds the zone and UTC. */
export function TimeText({ at, asOf }: { at: string; asOf: string }) {
  const locale = useLocale();
  const { timeZone = "UTC" } = useZone();
  const instant = new Date(at);
  const local = `${formatInstant(instant, locale, timeZone)} ${describeZone(timeZone, instant)}`;
  const title = timeZone === "UTC" ? local : `${local}\n${formatInstant(instant, locale, "UTC")} UTC`;
  return (
    <time dateTime={at} title={title} className="whitespace-nowrap">
      {formatInstant(instant, locale, timeZone)}
      <span className="ms-2 text-ink-3">{formatAgo(Date.parse(asOf) - instant.getTime(), locale)}</span>
    </time>
  );
}
