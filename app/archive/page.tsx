import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { ArchiveBrowser } from "../_components/archive/archive-browser.tsx";
import { mustBeSignedIn } from "../_server/page-asker.ts";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("archive");
  return { title: t("title") };
}

/** Finished tasks that have left the live table. */
export default async function ArchivePage() {
  await mustBeSignedIn();
  return <ArchiveBrowser />;
}
