import "server-only";
import { insertOidcFlow, type OidcFlow, removeOldOidcFlows, takeOidcFlow } from "../../db/queries/oidc-flows.ts";
import { newSecretToken, tokenHash } from "../../db/secret-token.ts";
import { BASE_PATH } from "../_components/base-path.ts";
import { sameOriginPath } from "../_components/account/same-origin-path.ts";
import { checkContentType, checkHost, checkOrigin } from "./access.ts";
import { clientAddress } from "./client-address.ts";
import { ConsoleError, PROBLEM_STATUS } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { consoleEnv } from "./env.ts";
import { identifyPerson } from "./identify.ts";
import { log } from "./log.ts";
import { authenticate, authorizationUrl, newChecks } from "./oidc-client.ts";
import type { OidcSettings } from "./oidc-settings.ts";
import { confirmByProvider, signInByProvider } from "./oidc-sign-in.ts";
import { toConsoleError } from "./problem.ts";
import { RateLimit } from "./rate-limit.ts";
import { endedFlowCookie, flowCookie, idTokenCookie, presentedFlow, sessionCookie } from "./session-cookie.ts";
import { visitorOf } from "./sign-in.ts";

const CALLBACK_PATH = `${BASE_PATH}/api/v1/sign-in/oidc/callback`;
/** Where the browser learns how it went, of a sign-in and of a proof to be still the same person. */
const SIGN_IN_PAGE = "/sign-in";
const CONFIRM_PAGE = "/sign-in/confirm";
/** Clocks of two machines may differ by so much. */
const CLOCK_SECONDS = 30;

const PATH_CHARACTERS_MAX = 2_000;

const limit = new RateLimit({ count: 120, withinMs: 15 * 60_000 });

export type OidcPurpose = "sign_in" | "confirm";

/**
 * Sends a browser to the provider: answers where to, with the cookie that ties what comes back to this browser.
 * @throws ConsoleError no_provider, provider_unavailable, provider_answer_refused, too_many_attempts; not_signed_in or
 * forbidden if there is nobody to confirm
 */
export async function beginOidc(
  { headers }: Request,
  requestId: string,
  { to, purpose }: { readonly to: string; readonly purpose: OidcPurpose },
): Promise<Response> {
  const env = consoleEnv();
  checkContentType(headers);
  checkOrigin(headers, env);
  checkHost(headers, env);
  const settings = mustHaveProvider();
  if (!limit.admits(clientAddress(headers, env.trustedProxies) ?? "unknown")) {
    throw new ConsoleError("too_many_attempts", "too many sign-ins were begun", { details: { retryAfterSeconds: 60 } });
  }
  const isConfirm = purpose === "confirm";
  const sessionHash = isConfirm ? await externalSession(headers, requestId) : undefined;
  const checks = newChecks(`${headers.get("origin") ?? ""}${CALLBACK_PATH}`);
  const url = await authorizationUrl(settings, checks, { again: isConfirm });
  const token = newSecretToken();
  await consoleDatabase().retryingTransaction(async (session) => {
    await removeOldOidcFlows(session);
    await insertOidcFlow(session, {
      tokenHash: tokenHash(token),
      stateHash: tokenHash(checks.state),
      nonce: checks.nonce,
      verifier: checks.verifier,
      redirectUri: checks.redirectUri,
      path: pathWithin(to),
      sessionHash,
    });
  });
  return Response.json({ url }, { headers: { "Set-Cookie": flowCookie(token, env) } });
}

/**
 * Takes a browser back from the provider and sends it on within the console: signed in, or to a page that says what went
 * wrong. A flow ends with its first answer, whatever that is, and only in the browser that began it.
 * @throws ConsoleError unknown_host
 */
export async function finishOidc(request: Request, requestId: string): Promise<Response> {
  const { headers } = request;
  const env = consoleEnv();
  const visitor = visitorOf(headers, requestId);
  let page = SIGN_IN_PAGE;
  let to = "/";
  try {
    const settings = mustHaveProvider();
    const { search, searchParams } = new URL(request.url);
    const flow = await takeFlow(presentedFlow(headers, env), searchParams.getAll("state"));
    const isConfirm = flow.sessionHash !== undefined;
    if (isConfirm) page = CONFIRM_PAGE;
    else to = flow.path;
    const person = await authenticate(settings, search, {
      ...flow,
      // To be confirmed, the person must have shown to be the one since the flow began.
      maxAgeSeconds: isConfirm ? Math.ceil(flow.ageMs / 1_000) + CLOCK_SECONDS : undefined,
    });
    if (flow.sessionHash !== undefined) {
      await confirmByProvider({ settings, visitor, person, sessionHash: flow.sessionHash });
      return goTo(`${CONFIRM_PAGE}?done=1`, [endedFlowCookie(env)]);
    }
    const begunAt = Date.now() / 1_000 - flow.ageMs / 1_000;
    const isConfirmed = person.authTime !== undefined && person.authTime >= begunAt - CLOCK_SECONDS;
    const { token } = await signInByProvider({ settings, visitor, person, isConfirmed });
    const idToken = settings.endsProviderSession ? person.idToken : undefined;
    return goTo(flow.path, [endedFlowCookie(env), sessionCookie(token, env), idTokenCookie(idToken, env)]);
  } catch (error) {
    const problem = toConsoleError(error);
    if (PROBLEM_STATUS[problem.code] >= 500) {
      log.error({ requestId, code: problem.code, err: problem.cause ?? problem }, "a sign-in by the provider failed");
    }
    const query = new URLSearchParams({ problem: problem.code, ...(to === "/" ? {} : { to }) });
    return goTo(`${page}?${query.toString()}`, [endedFlowCookie(env)]);
  }
}

/** @throws ConsoleError no_provider */
function mustHaveProvider(): OidcSettings {
  const { oidc } = consoleEnv();
  if (oidc) return oidc;
  throw new ConsoleError("no_provider", "nobody signs in by OpenID Connect here");
}

/** The session of a person who has no password here. @throws ConsoleError not_signed_in, forbidden */
async function externalSession(headers: Headers, requestId: string): Promise<string> {
  const asker = await identifyPerson(headers, requestId);
  if (!asker?.signedIn) throw new ConsoleError("not_signed_in", "sign in first");
  if (asker.signedIn.isExternal) return asker.signedIn.sessionHash;
  throw new ConsoleError("forbidden", "this account shows by its password that it is the one");
}

/** @throws ConsoleError sign_in_expired if the browser began none, it was too long ago, or the answer is to another one. */
async function takeFlow(
  hash: string | undefined,
  states: readonly string[],
): Promise<OidcFlow & { readonly state: string; readonly ageMs: number }> {
  const flow = hash && (await consoleDatabase().retryingTransaction((session) => takeOidcFlow(session, hash)));
  const [state, ...others] = states;
  if (flow && state !== undefined && others.length === 0 && tokenHash(state) === flow.stateHash) {
    return { ...flow, state };
  }
  throw new ConsoleError("sign_in_expired", "no sign-in of this browser waits for this answer");
}

/** A path of the console; one that grew too long by its encoding is the overview. */
function pathWithin(to: string): string {
  const path = sameOriginPath(to);
  return path.length <= PATH_CHARACTERS_MAX ? path : "/";
}

function goTo(path: string, cookies: readonly string[]): Response {
  const headers = new Headers({ Location: `${BASE_PATH}${path}` });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}
