import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { BulkList } from "../_components/bulk/bulk-list.tsx";
import { mustBeSignedIn } from "../_server/page-asker.ts";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("bulk");
  return { title: t("title") };
}

/** All bulk actions, the newest first. */
export default async function BulkPage() {
  await mustBeSignedIn();
  const t = await getTranslations("bulk");
  return (
    <>
      <h1 className="sr-only">{t("title")}</h1>
      <BulkList />
    </>
  );
}
