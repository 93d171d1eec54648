import "server-only";
import type { ProblemCode } from "./console-error.ts";
import { consoleEnv } from "./env.ts";

/** How people sign in here. */
export interface SignInWays {
  readonly takesPasswords: boolean;
  /** As the page calls the provider; undefined: there is none. */
  readonly provider: string | undefined;
}

/** What may have gone wrong when a browser comes back from the provider. */
const PROBLEMS = [
  ...["no_role", "account_disabled", "sign_in_expired", "no_provider"],
  ...["provider_denied", "provider_answer_refused", "provider_unavailable"],
  ...["database_unavailable", "database_timeout", "schema_missing", "unexpected"],
] as const satisfies readonly ProblemCode[];
export type SignInProblem = (typeof PROBLEMS)[number];

export function readSignInWays(): SignInWays {
  const { takesPasswords, oidc } = consoleEnv();
  return { takesPasswords, provider: oidc?.providerName };
}

/** The problem that the address of a page names; nothing else in it is shown. */
export function signInProblem(text: unknown): SignInProblem | undefined {
  return PROBLEMS.find((problem) => problem === text);
}
