import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { sameOriginPath } from "../_components/account/same-origin-path.ts";
import { SignInCard } from "../_components/account/sign-in-card.tsx";
import { leaveNote } from "../_server/leave.ts";
import { readPageAsker } from "../_server/page-asker.ts";
import { readSignInWays, signInProblem } from "../_server/sign-in-ways.ts";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("signIn");
  return { title: t("title") };
}

/** Where a person signs in; whoever is signed in already is sent on. */
export default async function SignInPage({ searchParams }: { searchParams: Promise<Record<string, unknown>> }) {
  const { to, problem, ...query } = await searchParams;
  const path = sameOriginPath(typeof to === "string" ? to : undefined);
  if ((await readPageAsker()).state === "signed_in") redirect(path);
  return (
    <SignInCard
      to={path}
      ways={readSignInWays()}
      cameBackWith={signInProblem(problem)}
      leaveNote={leaveNote(query, await headers())}
    />
  );
}
