"use client";

import { useLocale } from "next-intl";
import { describeZone, formatInstant } from "../format-time.ts";
import { useZone } from "../zone.tsx";

/** An instant in the person's zone, without an age: it may lie ahead. */
export function InstantText({ at }: { at: string }) {
  const locale = useLocale();
  const { timeZone = "UTC" } = useZone();
  const instant = new Date(at);
  return (
    <time dateTime={at} title={describeZone(timeZone, instant)} className="whitespace-nowrap">
      {formatInstant(instant, locale, timeZone)}
    </time>
  );
}
