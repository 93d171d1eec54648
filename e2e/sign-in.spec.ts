import { request as httpRequest } from "node:http";
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { chooseFromMenu } from "./support/choose-from-menu.ts";
import { startConsole } from "./support/console-process.ts";
import { expect, type SignInAs, test } from "./support/fixtures.ts";
import { LOOKS } from "./support/looks.ts";

const PASSWORD = "x7Fp2-kQ9vLm";
const NEW_PASSWORD = "correct horse battery";

/** Gives an account of the test a password, as its person would by a one-time link. */
async function withPassword(as: SignInAs, admin: Page["request"], baseURL = "") {
  const made = await admin.post("/api/v1/accounts", {
    data: { name: "ada", role: "operator" },
    headers: { Origin: baseURL },
  });
  const { link } = (await made.json()) as { link: { token: string } };
  const { page, request } = await as();
  const used = await request.post("/api/v1/sign-in/link/use", {
    data: { token: link.token, password: PASSWORD },
    headers: { Origin: baseURL },
  });
  expect(used.status()).toBe(200);
  await page.context().clearCookies();
  return page;
}

async function signIn(page: Page, name: string, password: string): Promise<void> {
  const send = page.getByRole("button", { name: "Sign in", exact: true });
  // What is filled in before the form's script has begun is lost.
  await expect(send).toBeEnabled();
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill(password);
  await send.click();
}

test("sends whoever is not signed in to the sign-in, and back to the page that was asked for", async ({
  as,
  request,
  baseURL,
  store,
}) => {
  const page = await withPassword(as, request, baseURL);
  await page.goto("/?eventType=PAY_ORDER");
  await expect(page).toHaveURL(/\/sign-in\?to=%2F%3FeventType%3DPAY_ORDER$/);
  await signIn(page, "ada", "not the password");
  await expect(page.getByRole("alert").filter({ hasText: "wrong" })).toHaveText("The name or the password is wrong.");
  await expect(page.getByLabel("Password")).toHaveValue("");
  await signIn(page, "ada", PASSWORD);
  await expect(page).toHaveURL(`${baseURL}/?eventType=PAY_ORDER`);
  await expect(page.getByRole("button", { name: "Signed in as ada, Operator" })).toBeVisible();
  const cookies = (await page.context().cookies()).filter(({ name }) => name === "redrive_session");
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: "Lax", path: "/" }]);
  const actions = await store.rows("SELECT actor, action, result FROM t_retry_audit WHERE action = 'session.sign_in'");
  expect(actions).toEqual([
    { actor: "ada", action: "session.sign_in", result: "failed" },
    { actor: "ada", action: "session.sign_in", result: "ok" },
  ]);

  await page.goto("/sign-in?to=//evil.example/");
  await expect(page).toHaveURL(`${baseURL}/`);
});

test("shows a role only the pages it may see", async ({ as }) => {
  const { page } = await as("operator");
  await page.goto("/");
  await expect(page.getByRole("navigation").getByRole("link", { name: "Overview" })).toBeVisible();
  await expect(page.getByRole("navigation").getByRole("link", { name: "Accounts" })).toHaveCount(0);
});

test("says the same of a wrong password and of a name that nobody has", async ({ as, request, baseURL, store }) => {
  await withPassword(as, request, baseURL);
  const { request: nobody } = await as();
  const attempt = async (name: string) => {
    const answer = await nobody.post("/api/v1/sign-in", {
      data: { name, password: "wrong" },
      headers: { Origin: baseURL ?? "" },
    });
    const { requestId: _, ...body } = (await answer.json()) as Record<string, unknown>;
    return { status: answer.status(), body };
  };
  const known = await attempt("ada");
  expect(known).toMatchObject({ status: 401, body: { code: "sign_in_failed" } });
  expect(await attempt("nobody-of-that-name")).toEqual(known);
  const rows = await store.rows("SELECT actor FROM t_retry_audit WHERE action = 'session.sign_in' ORDER BY id");
  expect(rows, "a name that nobody has may be a password").toEqual([{ actor: "ada" }, { actor: "unknown" }]);
});

test("makes an account wait after five attempts, says how long, and lets the right password in no sooner", async ({
  as,
  request,
  baseURL,
  store,
}) => {
  const page = await withPassword(as, request, baseURL);
  await page.goto("/sign-in");
  for (let attempt = 1; attempt <= 5; attempt++) {
    await signIn(page, "ada", `wrong ${attempt}`);
    await expect(page.getByRole("alert").filter({ hasText: "wrong" })).toBeVisible();
    await expect(page.getByLabel("Password")).toHaveValue("");
  }
  await expect(page.getByRole("button", { name: /^Try again in \d+ s$/ })).toBeDisabled();
  const { request: nobody } = await as();
  const send = (name: string, password: string) =>
    nobody.post("/api/v1/sign-in", { data: { name, password }, headers: { Origin: baseURL ?? "" } });
  const refused = await send("ada", PASSWORD);
  expect(refused.status()).toBe(429);
  expect(Number(refused.headers()["retry-after"])).toBeGreaterThan(0);
  expect((await send("grace", "wrong")).status(), "another account does not wait").toBe(401);
  await store.run("UPDATE t_retry_sign_in_count SET locked_until = window_time WHERE locked_until IS NOT NULL");
  expect((await send("ada", PASSWORD)).status()).toBe(200);
  expect(
    await store.rows("SELECT 1 FROM t_retry_sign_in_count WHERE subject LIKE 'account:%' AND failures > 4"),
  ).toEqual([]);
});

test("limits an address by its socket, whatever the client forwards, or by what a trusted proxy says", async ({
  world,
  baseURL,
  store,
}) => {
  const attempt = (url: string, forwarded: string) =>
    post(
      `${url}/api/v1/sign-in`,
      { "X-Forwarded-For": forwarded, "X-Redrive-Peer": forwarded },
      { name: "n", password: "p" },
    );
  const addresses = async () => {
    const rows = await store.rows(
      "SELECT subject FROM t_retry_sign_in_count WHERE subject LIKE 'ip:%' ORDER BY subject",
    );
    return rows.map(({ subject }) => subject);
  };
  await attempt(baseURL ?? "", "192.0.2.1");
  expect(await addresses()).toEqual(["ip:127.0.0.1"]);
  const proxied = await startConsole({ ...world.environment, REDRIVE_TRUSTED_PROXIES: "127.0.0.0/8" });
  try {
    await attempt(proxied.baseUrl, "203.0.113.9, 192.0.2.7");
    expect(await addresses()).toEqual(["ip:127.0.0.1", "ip:192.0.2.7"]);
    await store.run("UPDATE t_retry_sign_in_count SET failures = 29 WHERE subject = 'ip:192.0.2.7'");
    await store.run("DELETE FROM t_retry_sign_in_count WHERE subject LIKE 'account:%'");
    expect(await attempt(proxied.baseUrl, "192.0.2.7")).toBe(401);
    await store.run("DELETE FROM t_retry_sign_in_count WHERE subject LIKE 'account:%'");
    expect(await attempt(proxied.baseUrl, "192.0.2.7"), "the 31st").toBe(429);
    expect(await attempt(proxied.baseUrl, "192.0.2.8"), "a neighbour").toBe(401);
  } finally {
    await proxied.stop();
  }
});

test("ends a session after 30 idle minutes, after 12 hours and when it is revoked; the page then asks to sign in", async ({
  as,
  baseURL,
  store,
}) => {
  for (const [why, change] of [
    ["idle", "used_time = TIMESTAMPADD(MINUTE, -30, used_time)"],
    ["old", "expire_time = TIMESTAMPADD(HOUR, -12, expire_time)"],
  ] as const) {
    const { page, request, id } = await as("viewer");
    await page.goto("/");
    await expect(page.getByRole("button", { name: /^Signed in as/ })).toBeVisible();
    await store.run(`UPDATE t_retry_session SET ${change} WHERE account_id = ?`, [id]);
    expect([why, (await request.get("/api/v1/me")).status()]).toEqual([why, 401]);
    await expect(page, "a refresh of the page notices").toHaveURL(`${baseURL}/sign-in?to=%2F`);
  }
});

test("opens a one-time link once: the password is the person's own, and the token is in no address that is sent", async ({
  page,
  as,
  baseURL,
}) => {
  await page.goto("/accounts");
  await page.getByRole("button", { name: "New account" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("grace");
  await page.getByRole("dialog").getByRole("radio", { name: "Auditor" }).check();
  await page.getByRole("dialog").getByRole("button", { name: "New account" }).click();
  const link = await page.getByRole("dialog").getByLabel("One-time link").inputValue();
  expect(link).toMatch(/\/sign-in\/link#[\w-]{43}$/);

  const { page: person } = await as();
  const sent: string[] = [];
  person.on("request", (request) => sent.push(`${request.url()} ${request.headers()["referer"] ?? ""}`));
  await person.goto(link);
  await expect(person.getByText("For the account grace.")).toBeVisible();
  await person.getByLabel("New password", { exact: true }).fill("password1234");
  await person.getByLabel("New password again").fill("password1234");
  await person.getByRole("button", { name: "Save the password and sign in" }).click();
  await expect(person.getByRole("alert").filter({ hasText: "guessed" })).toBeVisible();
  await person.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
  await person.getByLabel("New password again").fill(NEW_PASSWORD);
  await person.getByRole("button", { name: "Save the password and sign in" }).click();
  await expect(person.getByRole("button", { name: "Signed in as grace, Auditor" })).toBeVisible();
  expect(sent.filter((line) => line.includes(link.split("#")[1] ?? ""))).toEqual([]);

  const { page: late } = await as();
  await late.goto(link);
  await expect(late.getByRole("alert").filter({ hasText: "no longer works" })).toBeVisible();
  await late.getByRole("link", { name: "To the sign-in" }).click();
  await signIn(late, "grace", NEW_PASSWORD);
  await expect(late).toHaveURL(`${baseURL}/`);
});

test("changes one's own password and signs the other browsers out; signing out ends the session itself", async ({
  as,
  request,
  baseURL,
}) => {
  const page = await withPassword(as, request, baseURL);
  await page.goto("/sign-in");
  await signIn(page, "ada", PASSWORD);
  const menu = page.getByRole("button", { name: "Signed in as ada, Operator" });
  await chooseFromMenu(page, menu, "Signed-in browsers");
  const sessions = page.getByRole("dialog", { name: "Browsers you are signed in with" });
  await expect(sessions.getByRole("row")).toHaveCount(3);
  await sessions.getByRole("button", { name: /^Sign out / }).click();
  await expect(sessions.getByRole("row")).toHaveCount(2);
  await page.keyboard.press("Escape");

  await chooseFromMenu(page, menu, "Change password");
  const dialog = page.getByRole("dialog", { name: "Change password" });
  await dialog.getByLabel("Present password").fill("wrong");
  await dialog.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
  await dialog.getByLabel("New password again").fill(NEW_PASSWORD);
  await dialog.getByRole("button", { name: "Change password" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("The present password is wrong.");
  await dialog.getByLabel("Present password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("The password was changed.")).toBeVisible();

  const kept = await page.context().cookies();
  await chooseFromMenu(page, menu, "Sign out");
  await expect(page).toHaveURL(`${baseURL}/sign-in`);
  await page.context().addCookies(kept);
  await page.goto("/");
  await expect(page, "a kept cookie opens nothing").toHaveURL(`${baseURL}/sign-in`);
  await signIn(page, "ada", NEW_PASSWORD);
  await expect(page).toHaveURL(`${baseURL}/`);
});

test("the first start of a console prints a link for the first admin, and only the first", async ({
  world,
  as,
  store,
}) => {
  await store.run("UPDATE t_retry_account SET name = 'aside'");
  const accounts = await store.rows("SELECT * FROM t_retry_account");
  expect(accounts).toHaveLength(1);
  const later = await startConsole(world.environment);
  expect(later.log()).not.toContain("/sign-in/link#");
  await later.stop();
  await store.run("CREATE TABLE kept AS SELECT * FROM t_retry_account");
  await store.run("DELETE FROM t_retry_account");
  const first = await startConsole(world.environment);
  try {
    await expect.poll(() => first.log()).toContain("/sign-in/link#");
    const token = /sign-in\/link#([\w-]{43})/.exec(first.log())?.[1] ?? "";
    const { page } = await as();
    await page.goto(`${first.baseUrl}/sign-in/link#${token}`);
    await page.getByLabel("Name").fill("root.admin");
    await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await page.getByLabel("New password again").fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Make the admin and sign in" }).click();
    await expect(page.getByRole("button", { name: "Signed in as root.admin, Admin" })).toBeVisible();
    expect(await store.rows("SELECT name, role FROM t_retry_account")).toEqual([{ name: "root.admin", role: "admin" }]);
    expect(await store.rows("SELECT 1 FROM t_retry_sign_in_link")).toEqual([]);
  } finally {
    await first.stop();
    await store.run("DELETE FROM t_retry_account");
    await store.run("INSERT INTO t_retry_account SELECT * FROM kept");
    await store.run("UPDATE t_retry_account SET name = 'console'");
    await store.run("DROP TABLE kept");
  }
});

test("under a public https origin the cookie is bound to host and TLS, and answers ask for TLS", async ({
  world,
  as,
  request,
  baseURL,
}) => {
  await withPassword(as, request, baseURL);
  const secure = await startConsole({ ...world.environment, REDRIVE_CONSOLE_ORIGIN: "https://ops.example.com" });
  try {
    const headers: Record<string, string> = {};
    const body = { name: "ada", password: PASSWORD };
    const status = await post(
      `${secure.baseUrl}/api/v1/sign-in`,
      { Host: "ops.example.com", Origin: "https://ops.example.com" },
      body,
      headers,
    );
    expect(status).toBe(200);
    expect(headers["set-cookie"]).toMatch(/^__Host-redrive=[\w-]{43}; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/);
    expect(headers["strict-transport-security"]).toContain("max-age=");
  } finally {
    await secure.stop();
  }
});

for (const [locale, colorScheme] of LOOKS) {
  test(`the sign-in is accessible in ${locale}, ${colorScheme} (CONSOLE 9)`, async ({ as, baseURL }) => {
    const { page } = await as();
    await page.context().addCookies([{ name: "redrive_locale", value: locale, url: baseURL ?? "" }]);
    await page.emulateMedia({ colorScheme });
    for (const path of ["/sign-in", "/sign-in/link#unknown"]) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical")).toEqual([]);
    }
  });
}

test("warns that capital letters are locked", async ({ as }) => {
  const { page } = await as();
  await page.goto("/sign-in");
  await page.getByLabel("Password").dispatchEvent("keyup", { key: "A", modifierCapsLock: true });
  await expect(page.getByText("Caps Lock is on.")).toBeVisible();
});

/** Sends exactly these headers, which a browser or fetch would not let a test set. */
function post(
  url: string,
  headers: Record<string, string>,
  body: unknown,
  answered: Record<string, string> = {},
): Promise<number> {
  const sent = { "Content-Type": "application/json", Origin: new URL(url).origin, ...headers };
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: "POST", headers: sent }, (response) => {
      for (const [name, value] of Object.entries(response.headers)) answered[name] = String(value);
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject);
    request.end(JSON.stringify(body));
  });
}
