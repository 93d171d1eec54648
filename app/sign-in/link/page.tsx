import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { LinkForm } from "../../_components/account/link-form.tsx";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("link");
  return { title: t("titlePassword") };
}

/** Where a one-time link leads: the first admin, or a new password. */
export default function SignInLinkPage() {
  return <LinkForm />;
}
