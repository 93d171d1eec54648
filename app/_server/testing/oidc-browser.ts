import { expect } from "vitest";
import type { IdentityProvider } from "../../../e2e/support/identity-provider.ts";
import type { Rest } from "./rest-client.ts";

/** Where the console of the tests answers, and where its provider sends a browser back to. */
export const HOST = "127.0.0.1:3000";
export const CALLBACK = `http://${HOST}/api/v1/sign-in/oidc/callback`;
export const AT_THE_DOOR = { Authorization: "", Host: HOST, Origin: `http://${HOST}` };

/** A browser on its way to the provider and back, step by step. */
export function oidcBrowser(rest: () => Rest, provider: () => IdentityProvider) {
  /** Begins a sign-in: where the browser goes, and the cookie that it keeps. */
  const begin = async (body: object = {}, cookie = "") => {
    const answer = await rest().call({
      ...{ method: "POST", path: "/api/v1/sign-in/oidc", body },
      headers: { ...AT_THE_DOOR, Cookie: cookie },
    });
    const { url = "", code } = (await answer.json()) as { url?: string; code?: string };
    return { status: answer.status, code, url, cookie: cookieOf(answer, "redrive_oidc") };
  };

  const answerTo = async (to: URL, cookie: string) => {
    const answer = await rest().call({
      path: `${to.pathname}${to.search}`,
      headers: { Authorization: "", Host: HOST, Cookie: cookie, "Sec-Fetch-Site": "cross-site" },
    });
    expect(answer.status).toBe(303);
    return answer;
  };

  /** What the console answers when the provider sends the browser back: where to go, and its session. */
  const comeBack = async (to: URL, cookie: string) => {
    const answer = await answerTo(to, cookie);
    return { location: answer.headers.get("location"), session: cookieOf(answer, "redrive_session") };
  };

  const signIn = async (login: string, body: object = {}) => {
    const { url, cookie } = await begin(body);
    return comeBack(await provider().visit(url, login), cookie);
  };

  return { begin, answerTo, comeBack, signIn };
}

/** The cookie of that name as an answer sets it; nothing if it does not, or takes it away. */
export function cookieOf(answer: Response, name: string): string {
  return (
    answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(";")[0] ?? "")
      .find((cookie) => cookie.startsWith(`${name}=`) && cookie !== `${name}=`) ?? ""
  );
}
