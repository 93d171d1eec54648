import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import { type Context, Provider } from "oidc-provider";

/** A real provider of OpenID Connect on this machine, whose people sign in by their name alone. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The claims of its people by their name for signing in, which is also the subject. */
  readonly people: Map<string, Readonly<Record<string, unknown>>>;
  /** Goes through its pages as a browser would and answers the address that the browser is sent back to. */
  visit(url: string, login: string): Promise<URL>;
  /** While it is away its connections are cut. */
  setAway(isAway: boolean): void;
  stop(): Promise<void>;
}

const PAGE = `<!doctype html><html lang="en"><title>Provider</title><h1>Provider</h1>
<form method="post"><label>Login <input name="login" autofocus></label> <button>Continue</button></form>
<form method="post"><button name="deny" value="1">Deny</button></form>`;

export async function startIdentityProvider(redirectUris: () => readonly string[]): Promise<IdentityProvider> {
  const people = new Map<string, Readonly<Record<string, unknown>>>();
  const client = { id: "redrive-console", secret: "a secret of the tests, no more" };
  let isAway = false;
  let provider: Provider | undefined;
  let answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  let known = "";
  const server = createServer((request, response) => {
    if (isAway) return void request.socket.destroy();
    // Its clients stand in its settings; a console that starts later has an address of its own.
    if (known !== redirectUris().join(" ") || !provider || !answer) {
      known = redirectUris().join(" ");
      provider = makeProvider({ issuer, client, people, redirectUris: redirectUris() });
      answer = provider.callback();
    }
    if (request.url?.startsWith("/interaction/")) return void interact(provider, request, response);
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the provider has no address");
  const issuer = `http://127.0.0.1:${address.port}`;
  return {
    issuer,
    clientId: client.id,
    clientSecret: client.secret,
    people,
    visit: (url, login) => visit(url, { login, issuer }),
    setAway(away) {
      isAway = away;
      if (away) server.closeAllConnections();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function makeProvider(params: {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string };
  readonly people: IdentityProvider["people"];
  readonly redirectUris: readonly string[];
}): Provider {
  const { issuer, client, people, redirectUris } = params;
  return new Provider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: redirectUris,
        post_logout_redirect_uris: redirectUris.map((uri) => uri.replace("/api/v1/sign-in/oidc/callback", "/sign-in")),
      },
    ],
    cookies: { keys: ["of the tests"] },
    claims: { openid: ["sub"], profile: ["preferred_username", "name", "groups"], email: ["email"] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_: Context, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    findAccount: (_: Context, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...people.get(sub) }),
    }),
    // Whoever signs in has agreed.
    loadExistingGrant: async ({ oidc }: Context) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
  });
}

async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== "POST") {
    response.setHeader("Content-Type", "text/html");
    response.end(PAGE);
    return;
  }
  const form = new URLSearchParams(await text(request));
  const login = form.get("login");
  const result =
    login === null
      ? { error: "access_denied", error_description: "<b>the person said no</b>" }
      : { login: { accountId: login } };
  await provider.interactionFinished(request, response, result);
}

async function visit(
  start: string,
  { login, issuer }: { readonly login: string; readonly issuer: string },
): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  let body: URLSearchParams | undefined;
  for (let step = 0; step < 10; step++) {
    const response = await fetch(url, {
      redirect: "manual",
      method: body ? "POST" : "GET",
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(body ? { body } : {}),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split("=", 2);
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null) {
      if (response.status !== 200 || body) throw new Error(`the provider answers ${response.status} to ${url}`);
      body = new URLSearchParams({ login });
      continue;
    }
    body = undefined;
    url = new URL(location, url).href;
    if (!url.startsWith(issuer)) return new URL(url);
  }
  throw new Error("the provider sends a browser round in circles");
}
