import "server-only";
import * as oidc from "openid-client";
import { ConsoleError } from "./console-error.ts";
import { type Claims, claimAt } from "./oidc-claims.ts";
import type { OidcSettings } from "./oidc-settings.ts";

const TIMEOUT_SECONDS = 8;
/** What a provider says of itself is asked anew after this time. */
const DISCOVERED_FOR_MS = 3_600_000;

/** What goes to the provider with a browser, and what its answer is held against. */
export interface AuthorizationChecks {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Who the provider says it is. */
export interface Authenticated {
  readonly sub: string;
  readonly claims: Claims;
  /** What it says as it said it, which names the session there. */
  readonly idToken: string;
  /** When that person last showed to be the one, in seconds since 1970; undefined: the provider does not say. */
  readonly authTime: number | undefined;
}

/** Fresh values that nobody can guess. */
export function newChecks(redirectUri: string): AuthorizationChecks {
  return {
    redirectUri,
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier: oidc.randomPKCECodeVerifier(),
  };
}

/**
 * Where a browser goes to sign in at the provider. `again`: the provider is to ask the person anew.
 * @throws ConsoleError provider_unavailable, provider_answer_refused
 */
export async function authorizationUrl(
  settings: OidcSettings,
  { redirectUri, state, nonce, verifier }: AuthorizationChecks,
  { again }: { readonly again: boolean },
): Promise<string> {
  const provider = await discover(settings);
  const url = oidc.buildAuthorizationUrl(provider, {
    ...{ redirect_uri: redirectUri, scope: settings.scopes, state, nonce },
    ...{ code_challenge: await oidc.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" },
    ...(again ? { prompt: "login", max_age: "0" } : {}),
  });
  return url.href;
}

/**
 * Exchanges the code of a callback for what the provider says of the person, and checks all of it: state, PKCE, issuer,
 * audience, signature, times and nonce. `maxAgeSeconds`: the person must have shown to be the one since then.
 * @throws ConsoleError provider_denied, provider_answer_refused, provider_unavailable
 */
export async function authenticate(
  settings: OidcSettings,
  search: string,
  checks: AuthorizationChecks & { readonly maxAgeSeconds: number | undefined },
): Promise<Authenticated> {
  const provider = await discover(settings);
  try {
    const tokens = await oidc.authorizationCodeGrant(provider, new URL(`${checks.redirectUri}${search}`), {
      expectedState: checks.state,
      expectedNonce: checks.nonce,
      pkceCodeVerifier: checks.verifier,
      idTokenExpected: true,
      ...(checks.maxAgeSeconds === undefined ? {} : { maxAge: checks.maxAgeSeconds }),
    });
    const stated = tokens.claims();
    const idToken = tokens.id_token;
    if (!stated || idToken === undefined) {
      throw new ConsoleError("provider_answer_refused", "the provider's answer holds no ID token");
    }
    const { sub, auth_time: authTime } = stated;
    const needed = [settings.roleClaim, settings.nameClaim].some((claim) => claimAt(stated, claim) === undefined);
    const more =
      needed && provider.serverMetadata().userinfo_endpoint !== undefined
        ? await oidc.fetchUserInfo(provider, tokens.access_token, sub)
        : {};
    const claims = { ...more, ...stated };
    return { sub, claims, idToken, authTime: typeof authTime === "number" ? authTime : undefined };
  } catch (error) {
    throw providerProblem(error);
  }
}

/**
 * Where a browser goes to end its session at the provider, and comes back from; undefined: the provider names no such
 * place. @throws ConsoleError provider_unavailable, provider_answer_refused
 */
export async function endSessionUrl(
  settings: OidcSettings,
  params: { readonly idToken: string | undefined; readonly returnTo: string; readonly state: string },
): Promise<string | undefined> {
  const provider = await discover(settings);
  if (provider.serverMetadata().end_session_endpoint === undefined) return undefined;
  try {
    return oidc.buildEndSessionUrl(provider, {
      ...{ post_logout_redirect_uri: params.returnTo, state: params.state },
      ...(params.idToken === undefined ? {} : { id_token_hint: params.idToken }),
    }).href;
  } catch (error) {
    throw providerProblem(error);
  }
}

let known: { readonly provider: oidc.Configuration; readonly atMs: number } | undefined;

/** What the provider says of itself; a failure is not kept. @throws ConsoleError */
async function discover(settings: OidcSettings): Promise<oidc.Configuration> {
  if (known && performance.now() - known.atMs < DISCOVERED_FOR_MS) return known.provider;
  try {
    const provider = await readProvider(settings);
    known = { provider, atMs: performance.now() };
    return provider;
  } catch (error) {
    throw providerProblem(error);
  }
}

async function readProvider({ issuer, clientId, clientSecret }: OidcSettings): Promise<oidc.Configuration> {
  // The settings take plain http for a provider on this machine only.
  const isPlain = issuer.startsWith("http:");
  const found = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
    timeout: TIMEOUT_SECONDS,
    execute: isPlain ? [oidc.allowInsecureRequests] : [],
  });
  const metadata = found.serverMetadata();
  const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const takesBasic = methods.includes("client_secret_basic");
  const proof =
    clientSecret === undefined
      ? oidc.None()
      : takesBasic
        ? oidc.ClientSecretBasic(clientSecret)
        : oidc.ClientSecretPost(clientSecret);
  const provider = new oidc.Configuration(metadata, clientId, undefined, proof);
  provider.timeout = TIMEOUT_SECONDS;
  if (isPlain) oidc.allowInsecureRequests(provider);
  // The signature of the ID token is checked too, though it comes straight from the provider.
  oidc.enableNonRepudiationChecks(provider);
  return provider;
}

/** Codes of the client library for a provider that cannot be reached or is not itself. */
const AWAY: ReadonlySet<string> = new Set(["OAUTH_TIMEOUT", "OAUTH_ABORT", "OAUTH_RESPONSE_IS_NOT_JSON"]);

function providerProblem(error: unknown): ConsoleError {
  if (error instanceof ConsoleError) return error;
  if (error instanceof oidc.AuthorizationResponseError) {
    return ["temporarily_unavailable", "server_error"].includes(error.error)
      ? unavailable(error)
      : new ConsoleError("provider_denied", "the provider did not sign the person in", { cause: error });
  }
  if (error instanceof oidc.ResponseBodyError) return error.status >= 500 ? unavailable(error) : refused(error);
  // What `fetch` throws if there is no answer.
  if (error instanceof TypeError) return unavailable(error);
  if (!(error instanceof oidc.ClientError)) return refused(error);
  const isFailing = error.cause instanceof Response && error.cause.status >= 500;
  return isFailing || AWAY.has(error.code ?? "") ? unavailable(error) : refused(error);
}

function unavailable(cause: unknown): ConsoleError {
  return new ConsoleError("provider_unavailable", "the provider does not answer", { cause });
}

function refused(cause: unknown): ConsoleError {
  return new ConsoleError("provider_answer_refused", "the provider's answer cannot be accepted", { cause });
}
