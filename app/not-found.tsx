import { getTranslations } from "next-intl/server";
import Link from "next/link";
import { StateMessage } from "./_components/state-message.tsx";

export default async function NotFound() {
  const t = await getTranslations("shell");
  return (
    <div className="card">
      <StateMessage tone="neutral" icon="search" title={t("notFoundTitle")} hint={t("notFoundHint")}>
        <Link href="/" className="button">
          {t("toOverview")}
        </Link>
      </StateMessage>
    </div>
  );
}
