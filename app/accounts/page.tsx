import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { AccountsBoard } from "../_components/account/accounts-board.tsx";
import { mustBeSignedIn } from "../_server/page-asker.ts";
import { readSignInWays } from "../_server/sign-in-ways.ts";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("accounts");
  return { title: t("title") };
}

/** Who may sign in, and what each may do. */
export default async function AccountsPage() {
  await mustBeSignedIn();
  return <AccountsBoard ways={readSignInWays()} />;
}
