import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type IdentityProvider, startIdentityProvider } from "../../e2e/support/identity-provider.ts";
import { AT_THE_DOOR, CALLBACK, cookieOf, HOST, oidcBrowser } from "./testing/oidc-browser.ts";
import { openRest, type Rest } from "./testing/rest-client.ts";

const CALLBACK_BELOW = `http://${HOST}/console/api/v1/sign-in/oidc/callback`;

let provider: IdentityProvider;
let rest: Rest;
beforeAll(async () => {
  provider = await startIdentityProvider(() => [CALLBACK, CALLBACK_BELOW]);
  process.env["REDRIVE_OIDC_ISSUER"] = provider.issuer;
  process.env["REDRIVE_OIDC_CLIENT_ID"] = provider.clientId;
  process.env["REDRIVE_OIDC_CLIENT_SECRET"] = provider.clientSecret;
  process.env["REDRIVE_OIDC_ROLES"] = JSON.stringify([
    { value: "ops-admins", role: "admin" },
    { value: "pay-team", role: "operator", eventTypes: ["PAY_ORDER"] },
    { value: "staff", role: "viewer" },
  ]);
  rest = await openRest();
});
afterAll(async () => {
  await rest.close();
  await provider.stop();
});
beforeEach(async () => {
  provider.setAway(false);
  provider.people.clear();
  provider.people.set("u-1", { preferred_username: "ada", groups: ["pay-team", "staff"] });
  for (const table of ["account", "session", "oidc_flow", "audit"]) {
    await rest.test.pool.query(`DELETE FROM t_retry_${table}`);
  }
});

const { begin, comeBack, signIn } = oidcBrowser(
  () => rest,
  () => provider,
);

const rows = async (statement: string): Promise<Record<string, unknown>[]> =>
  (await rest.test.pool.query(statement))[0] as Record<string, unknown>[];

const audit = async () =>
  (await rows("SELECT actor, action, result, detail FROM t_retry_audit ORDER BY id")).map((entry) => ({
    ...{ actor: entry["actor"], action: entry["action"], result: entry["result"] },
    detail: JSON.parse(String(entry["detail"])) as Record<string, unknown>,
  }));

const me = async (session: string): Promise<unknown> =>
  (await rest.call({ path: "/api/v1/me", headers: { ...AT_THE_DOOR, Cookie: session } })).json();

describe("a sign-in by OpenID Connect", () => {
  it("makes an account at the first time, with the role of the first rule that fits", async () => {
    const { location, session } = await signIn("u-1", { to: "/tasks?state=failed#x" });
    expect(location).toBe("/tasks?state=failed#x");
    expect(await me(session)).toMatchObject({ name: "ada", role: "operator", scopes: ["PAY_ORDER"], isExternal: true });
    expect(await rows("SELECT name, subject, password_hash FROM t_retry_account")).toEqual([
      { name: "ada", subject: `${provider.issuer}|u-1`, password_hash: null },
    ]);
    expect(await audit()).toMatchObject([
      { actor: `oidc:${new URL(provider.issuer).host}`, action: "account.create", result: "ok" },
      { actor: "ada", action: "session.sign_in", result: "ok", detail: { by: "oidc" } },
    ]);
    await signIn("u-1");
    expect(await rows("SELECT COUNT(*) AS count FROM t_retry_account")).toMatchObject([{ count: 1 }]);
  });

  it("asks the provider with code, PKCE, state and nonce, for the scopes that are set", async () => {
    const { searchParams } = new URL((await begin()).url);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      ...{ response_type: "code", code_challenge_method: "S256", scope: "openid profile email" },
      ...{ client_id: provider.clientId, redirect_uri: CALLBACK },
    });
    for (const name of ["code_challenge", "state", "nonce"]) {
      expect(searchParams.get(name)).toMatch(/^[\w-]{43}$/);
    }
    expect(searchParams.has("prompt")).toBe(false);
  });

  it("leaves the account of the same name to whom it belongs", async () => {
    await rest.call({ method: "POST", path: "/api/v1/accounts", body: { name: "ada", role: "admin" } });
    const { session } = await signIn("u-1");
    expect(await me(session)).toMatchObject({ role: "operator" });
    const [own, other] = await rows("SELECT name, subject, role FROM t_retry_account ORDER BY id");
    expect(own).toMatchObject({ name: "ada", subject: null, role: "admin" });
    expect(other?.["name"]).toMatch(/^ada-[0-9a-f]{6}$/);
  });

  it("gives no entry without a role, ends what the account had, and says so", async () => {
    const { session } = await signIn("u-1");
    provider.people.set("u-1", { preferred_username: "ada", groups: ["others"] });
    expect(await signIn("u-1")).toEqual({ location: "/sign-in?problem=no_role", session: "" });
    expect(await me(session)).toMatchObject({ code: "not_signed_in" });
    expect((await audit()).at(-1)).toMatchObject({ actor: "ada", result: "failed", detail: { code: "no_role" } });
    provider.people.set("u-2", {});
    expect(await signIn("u-2")).toMatchObject({ location: "/sign-in?problem=no_role" });
    expect((await audit()).at(-1)).toMatchObject({ actor: "unknown", result: "failed" });
    expect(await rows("SELECT name FROM t_retry_account")).toEqual([{ name: "ada" }]);
  });

  it("follows the provider when a role changes, and the console cannot change it", async () => {
    const before = await signIn("u-1");
    provider.people.set("u-1", { preferred_username: "ada", groups: ["ops-admins"] });
    const { session } = await signIn("u-1");
    expect(await me(session)).toMatchObject({ role: "admin", scopes: null });
    expect(await me(before.session)).toMatchObject({ code: "not_signed_in" });
    expect((await audit()).at(-2)).toMatchObject({
      action: "account.change",
      detail: { before: { role: "operator", scopes: ["PAY_ORDER"] }, after: { role: "admin", scopes: null } },
    });
    const [account] = await rows("SELECT id FROM t_retry_account");
    const path = `/api/v1/accounts/${String(account?.["id"])}`;
    const change = await rest.call({ method: "PATCH", path, body: { role: "viewer" } });
    expect([change.status, await change.json()]).toMatchObject([409, { code: "role_from_provider" }]);
    const link = await rest.call({ method: "POST", path: `${path}/link`, body: {} });
    expect(await link.json()).toMatchObject({ code: "role_from_provider" });
  });

  it("lets nobody in whose account is disabled here", async () => {
    await signIn("u-1");
    await rest.test.pool.query("UPDATE t_retry_account SET disabled = 1");
    expect(await signIn("u-1")).toEqual({ location: "/sign-in?problem=account_disabled", session: "" });
    expect((await audit()).at(-1)).toMatchObject({ result: "failed", detail: { code: "account_disabled" } });
  });

  it("returns only to a path of the console", async () => {
    for (const to of [
      "https://evil.example/",
      "//evil.example",
      "/\\evil.example",
      "javascript:alert(1)",
      "/sign-in",
    ]) {
      expect([to, (await signIn("u-1", { to })).location]).toEqual([to, "/"]);
    }
    expect((await signIn("u-1", { to: `/tasks?q=${"\u00e9".repeat(1_900)}` })).location).toBe("/");
  });
});

describe("the provider's answer is refused", () => {
  const over = { location: "/sign-in?problem=sign_in_expired", session: "" };
  const refused = { location: "/sign-in?problem=provider_answer_refused", session: "" };

  it("with another state, in another browser, without a flow, and the second time", async () => {
    const { url, cookie } = await begin();
    const back = await provider.visit(url, "u-1");
    const forged = new URL(back);
    forged.searchParams.set("state", "x".repeat(43));
    expect(await comeBack(forged, cookie)).toEqual(over);
    expect(await comeBack(back, cookie), "the flow ended with its first answer").toEqual(over);

    const next = await begin();
    const answer = await provider.visit(next.url, "u-1");
    expect(await comeBack(answer, (await begin()).cookie), "the flow of another browser").toEqual(over);
    expect(await comeBack(answer, "")).toEqual(over);
    expect((await comeBack(answer, next.cookie)).location).toBe("/");
    expect(await comeBack(answer, next.cookie), "a replay").toEqual(over);
  });

  it("after ten minutes", async () => {
    const { url, cookie } = await begin();
    const back = await provider.visit(url, "u-1");
    await rest.test.pool.query("UPDATE t_retry_oidc_flow SET expire_time = TIMESTAMPADD(MINUTE, -10, expire_time)");
    expect(await comeBack(back, cookie)).toEqual(over);
  });

  it("with another nonce, another code, a code of another verifier, or another issuer", async () => {
    const asked = async (change: (url: URL) => void) => {
      const { url, cookie } = await begin();
      const changed = new URL(url);
      change(changed);
      return comeBack(await provider.visit(changed.href, "u-1"), cookie);
    };
    expect(await asked(({ searchParams }) => searchParams.set("nonce", "another"))).toEqual(refused);
    expect(await asked(({ searchParams }) => searchParams.set("code_challenge", "y".repeat(43)))).toEqual(refused);
    const answered = async (change: (url: URL) => void) => {
      const { url, cookie } = await begin();
      const back = await provider.visit(url, "u-1");
      change(back);
      return comeBack(back, cookie);
    };
    expect(await answered(({ searchParams }) => searchParams.set("code", "stolen"))).toEqual(refused);
    expect(await answered(({ searchParams }) => searchParams.set("iss", "https://evil.example"))).toEqual(refused);
    expect(await rows("SELECT * FROM t_retry_account")).toEqual([]);
  });

  it("when the person says no, without a word of what the provider writes", async () => {
    const { url, cookie } = await begin();
    const { searchParams } = new URL(url);
    const back = new URL(CALLBACK);
    back.search = new URLSearchParams({
      ...{ error: "access_denied", error_description: "<script>", iss: provider.issuer },
      state: searchParams.get("state") ?? "",
    }).toString();
    expect(await comeBack(back, cookie)).toEqual({ location: "/sign-in?problem=provider_denied", session: "" });
  });

  it("when the provider is away while the code is exchanged", async () => {
    const { url, cookie } = await begin();
    const back = await provider.visit(url, "u-1");
    provider.setAway(true);
    expect(await comeBack(back, cookie)).toEqual({ location: "/sign-in?problem=provider_unavailable", session: "" });
  });
});

describe("what asks for the person again", () => {
  const confirm = { purpose: "confirm" };
  const act = (session: string) =>
    rest.call({
      ...{ method: "POST", path: "/api/v1/tokens", body: { name: "nightly", role: "viewer" } },
      headers: { ...AT_THE_DOOR, Cookie: session },
    });
  const age = () =>
    rest.test.pool.query("UPDATE t_retry_session SET confirmed_time = TIMESTAMPADD(MINUTE, -10, confirmed_time)");

  beforeEach(() => provider.people.set("u-1", { preferred_username: "ada", groups: ["ops-admins"] }));

  it("sends a person of the provider there, and takes nobody else's word", async () => {
    provider.people.set("u-2", { preferred_username: "eve", groups: ["ops-admins"] });
    const begun = await begin();
    const { session } = await comeBack(await provider.visit(`${begun.url}&max_age=3600`, "u-1"), begun.cookie);
    expect((await act(session)).status, "the provider says that it has just asked").toBe(200);
    await age();
    const refused = await act(session);
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { code: "step_up_required", by: "provider", confirmMinutes: 10 },
    ]);
    const flow = await begin(confirm, session);
    expect(new URL(flow.url).searchParams.get("prompt")).toBe("login");
    expect(await comeBack(await provider.visit(flow.url, "u-2"), `${session}; ${flow.cookie}`)).toEqual({
      ...{ location: "/sign-in/confirm?problem=provider_answer_refused", session: "" },
    });
    expect((await act(session)).status).toBe(403);
    const again = await begin(confirm, session);
    const back = await provider.visit(again.url, "u-1");
    expect((await comeBack(back, `${session}; ${again.cookie}`)).location).toBe("/sign-in/confirm?done=1");
    expect((await act(session)).status).toBe(200);
    const confirms = (await audit()).filter(({ action }) => action === "session.confirm");
    expect(confirms).toMatchObject([
      { actor: "ada", result: "failed" },
      { actor: "ada", result: "ok" },
    ]);
  });

  it("is not content with a sign-in that the provider remembers", async () => {
    const { session } = await signIn("u-1");
    expect((await act(session)).status, "the provider does not say when it asked").toBe(403);
    const flow = await begin(confirm, session);
    const url = new URL(flow.url);
    for (const name of ["prompt", "max_age"]) url.searchParams.delete(name);
    const back = await provider.visit(url.href, "u-1");
    // Without max_age the provider does not say when the person signed in.
    expect((await comeBack(back, `${session}; ${flow.cookie}`)).location).toBe(
      "/sign-in/confirm?problem=provider_answer_refused",
    );
    expect((await act(session)).status).toBe(403);
  });

  it("begins with nobody but a person of the provider who is signed in", async () => {
    expect(await begin(confirm)).toMatchObject({ status: 401, code: "not_signed_in" });
  });
});

it("goes on at another instance, below a path", async () => {
  process.env["REDRIVE_BASE_PATH"] = "/console";
  try {
    // Modules that are loaded anew remember nothing: another process could not know less.
    vi.resetModules();
    const { POST } = await import("../api/v1/sign-in/oidc/route.ts");
    vi.resetModules();
    const { GET } = await import("../api/v1/sign-in/oidc/callback/route.ts");
    const noParams = { params: Promise.resolve({}) };
    const begun = await POST(
      new Request("http://console.test/api/v1/sign-in/oidc", {
        ...{ method: "POST", body: JSON.stringify({ to: "/tasks" }) },
        headers: { Host: HOST, Origin: `http://${HOST}`, "Content-Type": "application/json" },
      }),
      noParams,
    );
    const { url } = (await begun.json()) as { url: string };
    expect(new URL(url).searchParams.get("redirect_uri")).toBe(CALLBACK_BELOW);
    const back = await provider.visit(url, "u-1");
    const headers = { Host: HOST, Cookie: cookieOf(begun, "redrive_oidc") };
    const answer = await GET(new Request(`http://console.test${back.pathname}${back.search}`, { headers }), noParams);
    expect(answer.headers.get("location")).toBe("/console/tasks");
    expect(await me(cookieOf(answer, "redrive_session"))).toMatchObject({ name: "ada" });
  } finally {
    delete process.env["REDRIVE_BASE_PATH"];
  }
});

it("says that the provider is away when a sign-in begins", async () => {
  // What the provider says of itself is remembered by the process: only a fresh one asks.
  vi.resetModules();
  const { authorizationUrl, newChecks } = await import("./oidc-client.ts");
  const { consoleEnv } = await import("./env.ts");
  provider.setAway(true);
  const { oidc } = consoleEnv();
  if (!oidc) throw new Error("there is no provider");
  await expect(authorizationUrl(oidc, newChecks(CALLBACK), { again: false })).rejects.toMatchObject({
    code: "provider_unavailable",
  });
});
