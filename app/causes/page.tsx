import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { CauseBoard } from "../_components/bulk/cause-board.tsx";
import { mustBeSignedIn } from "../_server/page-asker.ts";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("causePage");
  return { title: t("title") };
}

/** Why tasks failed for good, and the way to start those of one cause anew. */
export default async function CausesPage() {
  await mustBeSignedIn();
  const t = await getTranslations("causePage");
  return (
    <>
      <h1 className="sr-only">{t("title")}</h1>
      <CauseBoard />
    </>
  );
}
