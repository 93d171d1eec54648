"use client";

import { useTranslations } from "next-intl";

export function TaskSkeleton() {
  const t = useTranslations("live");
  return (
    <div role="status" className="grid grid-cols-1 gap-4">
      <span className="sr-only">{t("loading")}</span>
      <div aria-hidden="true" className="flex h-9 min-w-0 items-center gap-3 overflow-hidden">
        <span className="skeleton h-5 w-24" />
        <span className="skeleton h-5 w-40" />
        <span className="skeleton h-5 w-56" />
      </div>
      {["h-12", "h-28", "h-64"].map((height) => (
        <div key={height} aria-hidden="true" className={`card ${height} p-4`}>
          <span className="skeleton h-4 w-1/3" />
        </div>
      ))}
    </div>
  );
}
