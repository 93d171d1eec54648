"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import type { LeaveNote } from "../../_server/leave.ts";
import type { SignInProblem, SignInWays } from "../../_server/sign-in-ways.ts";
import { FormProblem } from "./form-problem.tsx";
import { PasswordForm } from "./password-form.tsx";
import { ProviderButton } from "./provider-button.tsx";

/**
 * The ways to sign in that there are. `to` is a path of the console, `cameBackWith` what went wrong at the provider,
 * `leaveNote` what is to be said of a sign-out.
 */
export function SignInCard(props: {
  to: string;
  ways: SignInWays;
  cameBackWith: SignInProblem | undefined;
  leaveNote: LeaveNote | undefined;
}) {
  const { to, ways } = props;
  const t = useTranslations("signIn");
  const problems = useTranslations("problem");
  const [problem, setProblem] = useState(props.cameBackWith && problems(`${props.cameBackWith}`));
  return (
    <div className="card grid gap-4 p-6">
      <h1 className="text-lg font-semibold">{t("title")}</h1>
      <FormProblem text={problem} />
      {props.leaveNote === "signed_out" && (
        <p role="status" className="rounded-md bg-succeeded-tint px-3 py-2 text-succeeded">
          {t("signedOut")}
        </p>
      )}
      {props.leaveNote === "signed_out_here" && (
        <p role="status" className="rounded-md bg-warn-tint px-3 py-2 text-warn">
          {t("signedOutHere")}
        </p>
      )}
      {ways.takesPasswords && <PasswordForm to={to} setProblem={setProblem} />}
      {ways.takesPasswords && ways.provider !== undefined && (
        <p className="flex items-center gap-3 text-xs text-ink-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          {t("or")}
        </p>
      )}
      {ways.provider !== undefined && (
        <ProviderButton provider={ways.provider} to={to} isPrimary={!ways.takesPasswords} setProblem={setProblem} />
      )}
      <p className="text-xs text-ink-3">{ways.takesPasswords ? t("help") : t("onlyProvider")}</p>
    </div>
  );
}
