import type { Page } from "@playwright/test";
import { hashPassword } from "../db/password-hash.ts";
import { chooseFromMenu, openMenu } from "./support/choose-from-menu.ts";
import { type ConsoleProcess, startConsole } from "./support/console-process.ts";
import { expect, test } from "./support/fixtures.ts";
import { type IdentityProvider, startIdentityProvider } from "./support/identity-provider.ts";
import { lookAt } from "./support/look-at.ts";
import { LOOKS } from "./support/looks.ts";

const PASSWORD = "x7Fp2-kQ9vLm";
const ROLES = JSON.stringify([
  { value: "ops-admins", role: "admin" },
  { value: "staff", role: "viewer" },
]);
const callback = ({ baseUrl }: ConsoleProcess) => `${baseUrl}/api/v1/sign-in/oidc/callback`;

let hash: string;
let provider: IdentityProvider;
let both: ConsoleProcess;
let only: ConsoleProcess;
test.beforeAll(async ({ world }) => {
  hash = await hashPassword(PASSWORD);
  const consoles: ConsoleProcess[] = [];
  provider = await startIdentityProvider(() => consoles.map(callback));
  const environment = {
    ...world.environment,
    REDRIVE_OIDC_ISSUER: provider.issuer,
    REDRIVE_OIDC_CLIENT_ID: provider.clientId,
    REDRIVE_OIDC_CLIENT_SECRET: provider.clientSecret,
    REDRIVE_OIDC_ROLES: ROLES,
    REDRIVE_OIDC_NAME: "Corporate ID",
  };
  both = await startConsole(environment);
  only = await startConsole({ ...environment, REDRIVE_PASSWORD_SIGN_IN: "0", REDRIVE_OIDC_SIGN_OUT: "1" });
  consoles.push(both, only);
});
test.afterAll(async () => {
  await Promise.all([both.stop(), only.stop()]);
  await provider.stop();
});
test.beforeEach(() => {
  provider.setAway(false);
  provider.people.clear();
  provider.people.set("u-1", { preferred_username: "grace", groups: ["ops-admins"] });
  provider.people.set("u-2", { preferred_username: "eve", groups: ["guests"] });
});

async function signInThere(page: Page, login: string): Promise<void> {
  await page.getByLabel("Login").fill(login);
  await page.getByRole("button", { name: "Continue" }).click();
}

test("signs a person in at the provider and returns to the page that was asked for", async ({ as, store }) => {
  const { page } = await as();
  await page.goto(`${both.baseUrl}/?eventType=PAY_ORDER`);
  await page.getByRole("button", { name: "Sign in with Corporate ID" }).click();
  await signInThere(page, "u-1");
  await expect(page).toHaveURL(`${both.baseUrl}/?eventType=PAY_ORDER`);
  await openMenu(page, page.getByRole("button", { name: "Signed in as grace, Admin" }), "Signed-in browsers");
  await expect(page.getByRole("menuitem", { name: "Change password" }), "there is none").toHaveCount(0);
  const cookies = await page.context().cookies(both.baseUrl);
  expect(cookies.map(({ name }) => name)).not.toContain("redrive_oidc");
  expect(cookies.find(({ name }) => name === "redrive_session")).toMatchObject({ httpOnly: true, sameSite: "Lax" });
  expect(
    await store.rows("SELECT actor, action, result FROM t_retry_audit WHERE action LIKE 'account.%' ORDER BY id"),
  ).toEqual([{ actor: `oidc:${new URL(provider.issuer).host}`, action: "account.create", result: "ok" }]);
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(`${both.baseUrl}/sign-in`);
  expect(
    await store.rows(
      "SELECT 1 FROM t_retry_session s JOIN t_retry_account a ON a.id = s.account_id WHERE a.name = 'grace'",
    ),
  ).toEqual([]);
});

test("says why somebody does not get in, and reflects nothing", async ({ as }) => {
  const { page } = await as();
  await page.goto(`${both.baseUrl}/sign-in?to=%2Ftasks`);
  await page.getByRole("button", { name: "Sign in with Corporate ID" }).click();
  await signInThere(page, "u-2");
  await expect(page.getByRole("alert").filter({ hasText: "gives you no role" })).toBeVisible();
  await expect(page).toHaveURL(`${both.baseUrl}/sign-in?problem=no_role&to=%2Ftasks`);
  await page.goto(`${both.baseUrl}/sign-in?problem=%3Cb%3Eyour+password+please`);
  await expect(page.getByRole("button", { name: "Sign in", exact: true })).toBeVisible();
  await expect(page.getByText("your password please")).toHaveCount(0);
});

test("tells that the provider is away", async ({ as, world }) => {
  // A console that has not asked the provider yet.
  const fresh = await startConsole({
    ...world.environment,
    REDRIVE_OIDC_ISSUER: provider.issuer,
    REDRIVE_OIDC_CLIENT_ID: provider.clientId,
    REDRIVE_OIDC_ROLES: ROLES,
    REDRIVE_OIDC_NAME: "Corporate ID",
  });
  try {
    provider.setAway(true);
    const { page, request } = await as();
    const answer = await request.post(`${fresh.baseUrl}/api/v1/sign-in/oidc`, {
      data: {},
      headers: { Origin: fresh.baseUrl },
    });
    expect([answer.status(), await answer.json()]).toMatchObject([503, { code: "provider_unavailable" }]);
    await page.goto(`${fresh.baseUrl}/sign-in`);
    await page.getByRole("button", { name: "Sign in with Corporate ID" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "does not answer" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Sign in with Corporate ID" })).toBeEnabled();
  } finally {
    await fresh.stop();
  }
});

test("asks for the password again before something far-reaching, and then does it", async ({ page, store, world }) => {
  await store.run("UPDATE t_retry_account SET password_hash = ? WHERE id = ?", [hash, world.admin.id]);
  await store.run("UPDATE t_retry_session SET confirmed_time = TIMESTAMPADD(MINUTE, -10, confirmed_time)");
  await page.goto("/tokens");
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByRole("dialog", { name: "New API token" }).getByLabel("Name").fill("nightly");
  await page.getByRole("button", { name: "Create token" }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await expect(dialog.getByLabel("Your password")).toBeFocused();
  await dialog.getByLabel("Your password").fill("wrong");
  await dialog.getByRole("button", { name: "Confirm and continue" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("The present password is wrong.");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("alert").filter({ hasText: "not confirmed" })).toBeVisible();
  expect(await store.rows("SELECT 1 FROM t_retry_api_token")).toEqual([]);

  await page.getByRole("button", { name: "Create token" }).click();
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Confirm and continue" }).click();
  await expect(page.getByRole("dialog").getByLabel("Key")).toHaveValue(/^rdv_/);
  expect(await store.rows("SELECT name FROM t_retry_api_token")).toEqual([{ name: "nightly" }]);
  expect(await store.rows("SELECT result FROM t_retry_audit WHERE action = 'session.confirm' ORDER BY id")).toEqual([
    { result: "failed" },
    { result: "ok" },
  ]);
});

test("shows a masked payload after the password was given again", async ({ page, store, world }) => {
  await store.run("UPDATE t_retry_account SET password_hash = ? WHERE id = ?", [hash, world.admin.id]);
  await store.run("UPDATE t_retry_session SET confirmed_time = TIMESTAMPADD(MINUTE, -10, confirmed_time)");
  const id = await store.insert({ status: "failed", bizContext: '{"password":"hunter2"}' });
  await page.goto(`/tasks/${id}`);
  await page.getByRole("button", { name: "Reveal…" }).click();
  await page.getByRole("dialog").getByLabel("Reason (required)").fill("an incident");
  await page.getByRole("dialog").getByRole("button", { name: "Reveal 1 payload" }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await expect(page.getByText("hunter2")).toBeVisible();
});

test("asks a person of the provider again there, in a tab of its own, and goes on by itself", async ({ as, store }) => {
  const { page } = await as();
  await page.goto(`${only.baseUrl}/tokens`);
  await expect(page.getByLabel("Password"), "switched off").toHaveCount(0);
  await page.getByRole("button", { name: "Sign in with Corporate ID" }).click();
  await signInThere(page, "u-1");
  // A press is heard once the page has loaded.
  await page.waitForURL(`${only.baseUrl}/tokens`);
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByRole("dialog", { name: "New API token" }).getByLabel("Name").fill("nightly");
  await page.getByRole("button", { name: "Create token" }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  const opened = page.context().waitForEvent("page");
  await dialog.getByRole("link", { name: "Sign in again in a new tab" }).click();
  const tab = await opened;
  await signInThere(tab, "u-1");
  await expect(page.getByRole("dialog").getByLabel("Key")).toHaveValue(/^rdv_/);
  expect(await store.rows("SELECT name FROM t_retry_api_token")).toEqual([{ name: "nightly" }]);
});

test("signs a person out at the provider, too, and the next sign-in asks who it is", async ({ as, store }) => {
  const { page } = await as();
  await page.goto(`${only.baseUrl}/tasks`);
  await page.getByRole("button", { name: "Sign in with Corporate ID" }).click();
  await signInThere(page, "u-1");
  await expect(page).toHaveURL(`${only.baseUrl}/tasks`);
  await chooseFromMenu(page, page.getByRole("button", { name: "Signed in as grace, Admin" }), "Sign out");
  await expect(page).toHaveURL(new RegExp(`^${provider.issuer}/session/end`));
  expect(
    await store.rows(
      "SELECT 1 FROM t_retry_session s JOIN t_retry_account a ON a.id = s.account_id WHERE a.name = 'grace'",
    ),
    "the session here has ended, whatever is answered there",
  ).toEqual([]);
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await page.waitForURL(new RegExp(`^${only.baseUrl}/sign-in\\?state=[\\w-]{43}$`));
  await expect(page.getByRole("status").filter({ hasText: "You are signed out." })).toBeVisible();
  await page.getByRole("button", { name: "Sign in with Corporate ID" }).click();
  await expect(page.getByLabel("Login")).toBeVisible();
});

test("offers no account to be made where the provider makes them, and says so", async ({ as, store }) => {
  await store.run(
    `INSERT INTO t_retry_account (name, role, create_time, update_time) VALUES ('old', 'viewer', ${store.clock}, ${store.clock})`,
  );
  const { page } = await as();
  await page.goto(`${only.baseUrl}/accounts`);
  await page.getByRole("button", { name: "Sign in with Corporate ID" }).click();
  await signInThere(page, "u-1");
  await expect(page.getByText("Accounts are made by the first sign-in with Corporate ID")).toBeVisible();
  await expect(page.getByRole("button", { name: "New account" })).toHaveCount(0);
  await openMenu(page, page.getByRole("button", { name: "Actions for old" }), "Disable");
  await expect(page.getByRole("menuitem", { name: "One-time password link" })).toHaveCount(0);
});

test("takes no password where that is switched off", async ({ as }) => {
  const { request } = await as();
  const headers = { Origin: only.baseUrl };
  const signIn = await request.post(`${only.baseUrl}/api/v1/sign-in`, { data: { name: "a", password: "b" }, headers });
  expect([signIn.status(), await signIn.json()]).toMatchObject([403, { code: "passwords_off" }]);
  const link = await request.post(`${only.baseUrl}/api/v1/sign-in/link`, { data: { token: "x".repeat(43) }, headers });
  expect(link.status()).toBe(403);
});

for (const [locale, colorScheme] of LOOKS) {
  test(`its pages and dialogs are accessible in ${locale}, ${colorScheme} (CONSOLE 9)`, async ({ as, page, store }) => {
    const { page: visitor } = await as();
    for (const one of [visitor, page]) {
      await one.context().addCookies([{ name: "redrive_locale", value: locale, url: both.baseUrl }]);
      await one.emulateMedia({ colorScheme });
    }
    await visitor.goto(`${both.baseUrl}/sign-in?problem=provider_unavailable`);
    await expect(visitor.locator("html")).toHaveAttribute("lang", locale);
    await lookAt(visitor, "sign-in-both");
    await visitor.goto(`${only.baseUrl}/sign-in?out=here`);
    await lookAt(visitor, "sign-in-only");
    await visitor.goto(`${only.baseUrl}/sign-in/confirm?problem=provider_denied`);
    await lookAt(visitor, "confirm-problem");
    await visitor.goto(`${only.baseUrl}/sign-in/confirm?done=1`);
    await lookAt(visitor, "confirm-done");

    for (const type of ["PAY_ORDER", "SEND_MAIL", "<b>bold</b>"]) await store.registerType(type);
    const { name } = await as("operator", ["PAY_ORDER", "GONE_TYPE"]);
    await page.goto("/accounts");
    const row = page.getByRole("row").filter({ hasText: name });
    await chooseFromMenu(page, row.getByRole("button").last(), /^(Role and event types|角色与事件类型)$/);
    await expect(page.getByRole("dialog").getByText("<b>bold</b>")).toBeVisible();
    await lookAt(page, "picker");
    await store.run("UPDATE t_retry_session SET confirmed_time = TIMESTAMPADD(MINUTE, -10, confirmed_time)");
    await page.getByRole("dialog").locator("button[type=submit]").click();
    await expect(page.getByRole("dialog").locator("input[type=password]")).toBeFocused();
    await lookAt(page, "step-up");
  });
}
