import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { TokensBoard } from "../_components/tokens/tokens-board.tsx";
import { mustBeSignedIn } from "../_server/page-asker.ts";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("pages");
  return { title: t("tokens") };
}

/** With which keys machines use the API. */
export default async function TokensPage() {
  await mustBeSignedIn();
  return <TokensBoard />;
}
