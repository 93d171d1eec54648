"use client";

import { useTranslations } from "next-intl";
import { StateMessage } from "./_components/state-message.tsx";

export default function PageError({ retry }: { error: Error; retry: () => void }) {
  const t = useTranslations("shell");
  const live = useTranslations("live");
  return (
    <div className="card">
      <StateMessage tone="problem" title={t("crashTitle")} hint={t("crashHint")}>
        <button type="button" className="button" onClick={retry}>
          {live("retry")}
        </button>
      </StateMessage>
    </div>
  );
}
