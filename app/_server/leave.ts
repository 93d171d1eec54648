import "server-only";
import { newSecretToken, tokenHash } from "../../db/secret-token.ts";
import { BASE_PATH } from "../_components/base-path.ts";
import type { Asker } from "./asker.ts";
import { consoleEnv } from "./env.ts";
import { log } from "./log.ts";
import { endSessionUrl } from "./oidc-client.ts";
import { toConsoleError } from "./problem.ts";
import {
  endedSessionCookie,
  idTokenCookie,
  presentedIdToken,
  presentedSignOut,
  signOutCookie,
} from "./session-cookie.ts";

const SIGN_IN_PAGE = `${BASE_PATH}/sign-in`;
/** Says on the sign-in page that the session at the provider may go on. */
const HERE_ONLY = "here";

/** What the sign-in page says to whoever has just signed out. */
export type LeaveNote = "signed_out" | "signed_out_here";

/**
 * Where the browser of somebody who has signed out goes, with the cookies that it forgets or keeps: to the provider, if
 * the settings say so and the person came from there, else to the sign-in page. It throws nothing: the session here has
 * ended before, whatever the provider does.
 */
export async function leave(
  headers: Headers,
  asker: Asker,
): Promise<{ readonly next: string; readonly cookies: readonly string[] }> {
  const env = consoleEnv();
  const forget = [endedSessionCookie(env), idTokenCookie(undefined, env)];
  if (!env.oidc?.endsProviderSession || !asker.signedIn?.isExternal) return { next: SIGN_IN_PAGE, cookies: forget };
  const state = newSecretToken();
  const returnTo = `${headers.get("origin") ?? ""}${SIGN_IN_PAGE}`;
  try {
    const url = await endSessionUrl(env.oidc, { idToken: presentedIdToken(headers, env), returnTo, state });
    if (url !== undefined) return { next: url, cookies: [...forget, signOutCookie(state, env)] };
  } catch (error) {
    const problem = toConsoleError(error);
    const { requestId } = asker;
    log.warn({ requestId, code: problem.code, err: problem.cause ?? problem }, "the provider's session was not ended");
  }
  return { next: `${SIGN_IN_PAGE}?out=${HERE_ONLY}`, cookies: forget };
}

/** What the address of the sign-in page tells of a sign-out; that of another browser tells nothing. */
export function leaveNote(
  query: { readonly out?: unknown; readonly state?: unknown },
  headers: Headers,
): LeaveNote | undefined {
  if (query.out === HERE_ONLY) return "signed_out_here";
  if (typeof query.state !== "string") return undefined;
  return tokenHash(query.state) === presentedSignOut(headers, consoleEnv()) ? "signed_out" : undefined;
}
