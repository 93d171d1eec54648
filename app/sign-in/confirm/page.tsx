import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { ConfirmAtProvider } from "../../_components/account/confirm-at-provider.tsx";
import { signInProblem } from "../../_server/sign-in-ways.ts";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("stepUp");
  return { title: t("title") };
}

/** Where a person shows at the provider to be still the one, in a tab of its own. */
export default async function ConfirmPage({ searchParams }: { searchParams: Promise<Record<string, unknown>> }) {
  const { done, problem } = await searchParams;
  const state = signInProblem(problem) ?? (done === "1" ? "done" : "begin");
  return <ConfirmAtProvider key={state} state={state} />;
}
