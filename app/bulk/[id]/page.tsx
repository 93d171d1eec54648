import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { notFound } from "next/navigation";
import { BulkDetail } from "../../_components/bulk/bulk-detail.tsx";
import { mustBeSignedIn } from "../../_server/page-asker.ts";

interface Props {
  readonly params: Promise<{ readonly id: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const t = await getTranslations("bulk");
  return { title: t("number", { id: (await params).id.slice(0, 20) }) };
}

/** One bulk action: how far it is, what it left alone, and what became of the tasks. */
export default async function BulkDetailPage({ params }: Props) {
  await mustBeSignedIn();
  const { id } = await params;
  if (!/^[1-9][0-9]{0,18}$/.test(id)) notFound();
  return <BulkDetail id={id} />;
}
