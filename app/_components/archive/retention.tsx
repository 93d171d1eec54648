"use client";

import { useLocale, useTranslations } from "next-intl";
import { describeZone, formatInstant } from "../format-time.ts";
import { useZone } from "../zone.tsx";

/** From when on an archived task may be deleted. */
export function Retention({ deletedAfter }: { deletedAfter: string | undefined }) {
  const t = useTranslations("archived");
  const locale = useLocale();
  const { timeZone = "UTC" } = useZone();
  if (deletedAfter === undefined) return t("keptForever");
  const at = new Date(deletedAfter);
  return t("deletedAfter", { time: formatInstant(at, locale, timeZone), zone: describeZone(timeZone, at) });
}
