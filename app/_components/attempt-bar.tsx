"use client";

import { useTranslations } from "next-intl";

/** How many of its attempts a task has used, as a number and as a bar. */
export function AttemptBar({ count, max }: { count: number; max: number }) {
  const t = useTranslations("failed");
  const share = max > 0 ? Math.min(1, count / max) : 1;
  return (
    <span className="inline-flex items-center gap-2">
      <span aria-hidden="true">
        {count}/{max}
      </span>
      <span className="sr-only">{t("attemptsOf", { count, max })}</span>
      <svg viewBox="0 0 56 4" aria-hidden="true" className="h-1 w-12 overflow-hidden rounded-full max-xl:hidden">
        <rect width="56" height="4" className="fill-line" />
        <rect width={56 * share} height="4" className={share === 1 ? "fill-failed-fill" : "fill-ink-3"} />
      </svg>
    </span>
  );
}
