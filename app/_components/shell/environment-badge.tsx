import { useTranslations } from "next-intl";
import { visibleText } from "../visible-text.ts";

/** Which installation this is, so that nobody resets in production what was meant for staging. Production is red. */
export function EnvironmentBadge({ environment }: { environment: string | undefined }) {
  const t = useTranslations("shell");
  if (environment === undefined) return null;
  const isProduction = environment.toLowerCase() === "production";
  return (
    <>
      {isProduction && <div aria-hidden="true" className="fixed inset-x-0 top-0 z-40 h-[3px] bg-failed-fill" />}
      <span
        title={t("environment")}
        className={`max-w-28 truncate rounded px-1.5 text-xs leading-5 font-medium ${
          isProduction ? "bg-failed-fill text-on-failed" : "bg-soft text-ink-2"
        }`}
      >
        <span className="sr-only">{`${t("environment")}: `}</span>
        {visibleText(environment)}
      </span>
    </>
  );
}
