"use client";

import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { askFreshly } from "./api-client.ts";
import { formatClock } from "./format-time.ts";
import { Icon } from "./icons.tsx";
import { usePageKeys } from "./keys/keys.tsx";
import { useRefresh } from "./refresh.tsx";
import { REFRESH_SECONDS } from "./refresh-delay.ts";
import { useIsLive, useLastUpdate } from "./use-last-update.ts";
import { useZone } from "./zone.tsx";

/** Says how fresh the page is, and pauses, resumes or forces its refresh. */
export function RefreshControl() {
  const t = useTranslations("refresh");
  const { timeZone = "UTC" } = useZone();
  const { isPaused, isHeld, setPausedByPerson } = useRefresh();
  const queryClient = useQueryClient();
  const isFetching = useIsFetching() > 0;
  const updatedAt = useLastUpdate();
  const isLive = useIsLive();
  const toggle = () => setPausedByPerson(!isPaused || isHeld);
  usePageKeys(isLive ? [{ key: "p", text: t("key"), isEverywhere: true, run: toggle }] : []);
  const state = !isLive
    ? t("off")
    : isHeld
      ? t("held")
      : isPaused
        ? t("paused")
        : t("every", { seconds: REFRESH_SECONDS });
  // That it is paused is more than when it was read, and the frame keeps its one line.
  const isShort = isLive && isPaused;
  return (
    <div className="flex items-center gap-1 text-xs text-ink-2">
      <span className="header-words me-1 flex gap-x-1.5 whitespace-nowrap max-lg:sr-only">
        {updatedAt === 0 ? (
          t("waiting")
        ) : (
          <span className={isShort ? "max-[1600px]:sr-only" : ""}>
            {t("updated", { time: formatClock(new Date(updatedAt), timeZone) })}
          </span>
        )}
        <span aria-hidden="true" className={isShort ? "max-[1600px]:hidden" : ""}>
          ·
        </span>
        <span className={isLive && isPaused ? "font-medium text-warn" : ""}>{state}</span>
      </span>
      {isLive && (
        <button
          type="button"
          className="grid size-7 place-items-center rounded-md hover:bg-soft hover:text-ink"
          aria-label={isPaused && !isHeld ? t("resume") : t("pause")}
          title={isPaused && !isHeld ? t("resume") : t("pause")}
          aria-keyshortcuts="P"
          onClick={toggle}
        >
          <Icon name={isPaused && !isHeld ? "play" : "pause"} />
        </button>
      )}
      <button
        type="button"
        className="grid size-7 place-items-center rounded-md hover:bg-soft hover:text-ink"
        aria-label={t("now")}
        title={t("now")}
        onClick={() => {
          askFreshly();
          void queryClient.invalidateQueries();
        }}
      >
        <Icon name="redrive" className={`size-3.5 ${isFetching ? "animate-spin [animation-delay:400ms]" : ""}`} />
      </button>
    </div>
  );
}
