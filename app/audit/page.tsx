import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { AuditLog } from "../_components/audit/audit-log.tsx";
import { mustBeSignedIn } from "../_server/page-asker.ts";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("pages");
  return { title: t("audit") };
}

/** Who did what, when and why. */
export default async function AuditPage() {
  await mustBeSignedIn();
  return <AuditLog />;
}
