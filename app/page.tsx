import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { Dashboard } from "./_components/dashboard/dashboard.tsx";
import { FailedTasks } from "./_components/failed-tasks.tsx";
import { mustBeSignedIn } from "./_server/page-asker.ts";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("shell");
  return { title: `${t("overview")} · ${t("product")}` };
}

/** What is wrong, how much, and the tasks that wait for a person. */
export default async function OverviewPage() {
  await mustBeSignedIn();
  const t = await getTranslations("shell");
  return (
    <>
      <h1 className="sr-only">{t("overview")}</h1>
      <Dashboard />
      <FailedTasks />
    </>
  );
}
