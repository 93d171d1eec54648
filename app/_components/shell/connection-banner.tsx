"use client";

import type { QueryCache } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useSyncExternalStore } from "react";
import { ApiError } from "../api-client.ts";
import { Icon } from "../icons.tsx";
import { useQueryCache } from "../use-query-cache.ts";

/** Says that the console cannot be reached, for as long as it is so; what the page shows is then old. */
export function ConnectionBanner() {
  const t = useTranslations("shell");
  const isOffline = useSyncExternalStore(
    subscribeToNetwork,
    () => !navigator.onLine,
    () => false,
  );
  const isLost = useQueryCache(hasLostConsole) ?? false;
  return (
    <div role="status">
      {(isOffline || isLost) && (
        <p className="flex items-center gap-2 border-b border-line bg-failed-tint px-4 py-1.5 text-failed sm:px-5">
          <Icon name="unplug" />
          {t("connectionLost")}
        </p>
      )}
    </div>
  );
}

/** The last answer of anything that the page shows is that there was none. */
function hasLostConsole(cache: QueryCache): boolean {
  return cache
    .getAll()
    .some((query) => query.isActive() && query.state.error instanceof ApiError && query.state.error.code === "network");
}

function subscribeToNetwork(changed: () => void): () => void {
  window.addEventListener("online", changed);
  window.addEventListener("offline", changed);
  return () => {
    window.removeEventListener("online", changed);
    window.removeEventListener("offline", changed);
  };
}
