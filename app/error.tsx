"use client";

import { useTranslations } from "next-intl";
import { StateMessage } from "./_components/state-message.tsx";

export default function PageError({ error, retry }: { error: Error; retry: () => void }) {
  const t = useTranslations("shell");
  const live = useTranslations("live");
  // A part that could not be loaded is not asked for again by what has failed with it.
  const again = () => (error.name === "ChunkLoadError" ? window.location.reload() : retry());
  return (
    <div className="card">
      <StateMessage tone="problem" title={t("crashTitle")} hint={t("crashHint")}>
        <button type="button" className="button" onClick={again}>
          {live("retry")}
        </button>
      </StateMessage>
    </div>
  );
}
