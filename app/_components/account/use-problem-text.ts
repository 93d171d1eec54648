"use client";

import { useTranslations } from "next-intl";
import type { PasswordProblem } from "../../../db/password-rules.ts";
import { ApiError } from "../api-client.ts";

/** What to tell a person of a request that failed; of a password that is not taken, why. */
export function useProblemText(): (error: unknown) => string {
  const problem = useTranslations("problem");
  const password = useTranslations("password");
  return (error) => {
    const code = error instanceof ApiError ? error.code : "unexpected";
    if (code !== "password_refused" || !(error instanceof ApiError)) return problem(`${code}`);
    const why = error.details["why"] as PasswordProblem;
    return password(`why_${why}`);
  };
}

/** The seconds that a refused request asks to wait; 0: none. */
export function secondsToWait(error: unknown): number {
  const seconds = error instanceof ApiError ? error.details["retryAfterSeconds"] : undefined;
  return typeof seconds === "number" ? seconds : 0;
}
