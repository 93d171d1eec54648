"use client";

import { useLocale } from "next-intl";
import type { ReactNode } from "react";
import { describeZone, formatInstant } from "./format-time.ts";
import { useZone } from "./zone.tsx";

/** Whatever is said of an instant; the tooltip says it in full, with the person's zone and in UTC. */
export function Instant({ at, children }: { at: string; children: ReactNode }) {
  const locale = useLocale();
  const { timeZone = "UTC" } = useZone();
  const instant = new Date(at);
  const local = `${formatInstant(instant, locale, timeZone)} ${describeZone(timeZone, instant)}`;
  const title = timeZone === "UTC" ? local : `${local}\n${formatInstant(instant, locale, "UTC")} UTC`;
  return (
    <time dateTime={at} title={title} className="whitespace-nowrap">
      {children}
    </time>
  );
}

/** An instant in full in the person's zone, without its age: it may lie ahead. */
export function PlainTime({ at }: { at: string }) {
  const locale = useLocale();
  const { timeZone = "UTC" } = useZone();
  return <Instant at={at}>{formatInstant(new Date(at), locale, timeZone)}</Instant>;
}
