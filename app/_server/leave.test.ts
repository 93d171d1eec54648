import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { type IdentityProvider, startIdentityProvider } from "../../e2e/support/identity-provider.ts";
import { newSecretToken } from "../../db/secret-token.ts";
import { leaveNote } from "./leave.ts";
import { AT_THE_DOOR, CALLBACK, cookieOf, HOST, oidcBrowser } from "./testing/oidc-browser.ts";
import { openRest, type Rest } from "./testing/rest-client.ts";

let provider: IdentityProvider;
let rest: Rest;
beforeAll(async () => {
  provider = await startIdentityProvider(() => [CALLBACK]);
  process.env["REDRIVE_OIDC_ISSUER"] = provider.issuer;
  process.env["REDRIVE_OIDC_CLIENT_ID"] = provider.clientId;
  process.env["REDRIVE_OIDC_CLIENT_SECRET"] = provider.clientSecret;
  process.env["REDRIVE_OIDC_ROLES"] = '[{"value":"*","role":"viewer"}]';
  process.env["REDRIVE_OIDC_SIGN_OUT"] = "1";
  rest = await openRest();
});
afterAll(async () => {
  await rest.close();
  await provider.stop();
});
beforeEach(() => {
  provider.setAway(false);
  provider.people.set("u-1", { preferred_username: "ada" });
});

const { begin, answerTo } = oidcBrowser(
  () => rest,
  () => provider,
);

async function signIn() {
  const { url, cookie } = await begin();
  const answer = await answerTo(await provider.visit(url, "u-1"), cookie);
  return { answer, session: cookieOf(answer, "redrive_session"), idToken: cookieOf(answer, "redrive_id_token") };
}

const signOut = (cookie: string) =>
  rest.call({ method: "POST", path: "/api/v1/sign-out", body: {}, headers: { ...AT_THE_DOOR, Cookie: cookie } });

async function isSignedIn(session: string): Promise<boolean> {
  const answer = await rest.call({ path: "/api/v1/me", headers: { ...AT_THE_DOOR, Cookie: session } });
  return answer.ok;
}

it("ends the session here and leads the browser to the end of that at the provider, and back", async () => {
  const { answer, session, idToken } = await signIn();
  const kept = answer.headers.getSetCookie().find((cookie) => cookie.startsWith("redrive_id_token="));
  expect(kept).toMatch(/; Path=\/api\/v1\/sign-out; Max-Age=43200; HttpOnly; SameSite=Lax$/);

  const left = await signOut(`${session}; ${idToken}`);
  expect(await isSignedIn(session)).toBe(false);
  const { next } = (await left.json()) as { next: string };
  const url = new URL(next);
  const state = url.searchParams.get("state");
  expect(url.href.startsWith(`${provider.issuer}/`)).toBe(true);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: provider.clientId,
    id_token_hint: idToken.replace("redrive_id_token=", ""),
    post_logout_redirect_uri: `http://${HOST}/sign-in`,
    state,
  });
  expect(cookieOf(left, "redrive_session")).toBe("");
  expect(left.headers.getSetCookie()).toContainEqual(expect.stringMatching(/^redrive_id_token=; .*Max-Age=0/));

  const cookie = cookieOf(left, "redrive_sign_out");
  expect(leaveNote({ state }, new Headers({ cookie }))).toBe("signed_out");
  expect(leaveNote({ state }, new Headers()), "another browser").toBeUndefined();
  expect(leaveNote({ state: newSecretToken() }, new Headers({ cookie })), "another way").toBeUndefined();
});

it("goes without what the provider said of the person if that was not kept", async () => {
  const { session } = await signIn();
  const { next } = (await (await signOut(session)).json()) as { next: string };
  expect(new URL(next).searchParams.has("id_token_hint")).toBe(false);
});

it("ends the session here though the provider is away, and says that the other one may go on", async () => {
  const { session, idToken } = await signIn();
  // What the provider says of itself is remembered by the process: only a fresh one asks.
  vi.resetModules();
  const { POST } = await import("../api/v1/sign-out/route.ts");
  provider.setAway(true);
  const answer = await POST(
    new Request("http://console.test/api/v1/sign-out", {
      ...{ method: "POST", body: "{}" },
      headers: {
        Host: HOST,
        Origin: `http://${HOST}`,
        "Content-Type": "application/json",
        Cookie: `${session}; ${idToken}`,
      },
    }),
    { params: Promise.resolve({}) },
  );
  expect([answer.status, await answer.json()]).toEqual([200, { next: "/sign-in?out=here" }]);
  expect(await isSignedIn(session)).toBe(false);
  expect(leaveNote({ out: "here" }, new Headers())).toBe("signed_out_here");
});

it("leaves whoever has a password here on the sign-in page", async () => {
  const made = await rest.call({ method: "POST", path: "/api/v1/accounts", body: { name: "grace", role: "viewer" } });
  const { link } = (await made.json()) as { link: { token: string } };
  const used = await rest.call({
    ...{ method: "POST", path: "/api/v1/sign-in/link/use", headers: AT_THE_DOOR },
    body: { token: link.token, password: "x7Fp2-kQ9vLm" },
  });
  const session = cookieOf(used, "redrive_session");
  expect(await isSignedIn(session)).toBe(true);
  expect(await (await signOut(session)).json()).toEqual({ next: "/sign-in" });
  expect(await isSignedIn(session)).toBe(false);
});
