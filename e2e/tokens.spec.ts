import type { Page } from "@playwright/test";
import { expect, type Store, test } from "./support/fixtures.ts";
import { lookAt } from "./support/look-at.ts";
import { LOOKS } from "./support/looks.ts";

const table = (page: Page) => page.getByRole("table", { name: "API tokens, newest first" });
const row = (page: Page, name: string) =>
  table(page)
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name, exact: true }) });

test.beforeEach(({ store }) => store.run("DELETE FROM t_retry_api_token"));

test("makes a key, shows it once, lets it in, and revokes it", async ({ page, playwright, baseURL, store }) => {
  for (const type of ["PAY_ORDER", "SEND_MAIL"]) await store.registerType(type);
  await page.goto("/tokens");
  await expect(page.getByText("No machine has a key yet")).toBeVisible();
  await page.getByRole("button", { name: "New token" }).click();
  const dialog = page.getByRole("dialog", { name: "New API token" });
  await expect(dialog.getByLabel("Name")).toBeFocused();
  await dialog.getByLabel("Name").fill("nightly");
  await dialog.getByLabel("Role").selectOption({ label: "Operator" });
  await dialog.getByLabel("Only some event types").check();
  await expect(dialog.getByRole("button", { name: "Create token" }), "of no type a key is no use").toBeDisabled();
  await dialog.getByLabel("PAY_ORDER").check();
  await dialog.getByLabel("Find an event type").fill("MAIL_V2");
  await dialog.getByRole("button", { name: "Add MAIL_V2" }).click();
  await dialog.getByRole("button", { name: "Create token" }).click();
  const shown = page.getByRole("dialog", { name: "The token nightly is ready" });
  const key = await shown.getByLabel("Key").inputValue();
  expect(key).toMatch(/^rdv_[\w-]{43}$/);
  await shown.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("button", { name: "New token" }), "the focus returns").toBeFocused();
  await expect(row(page, "nightly")).toContainText("PAY_ORDER, MAIL_V2");
  expect(await page.content()).not.toContain(key);

  // Without the cookies of the page: the key alone opens the door.
  const machine = await playwright.request.newContext({
    baseURL: baseURL ?? "",
    extraHTTPHeaders: { Authorization: `Bearer ${key}` },
  });
  expect((await machine.get("/api/v1/overview")).status()).toBe(200);
  expect((await machine.get("/api/v1/tokens")).status()).toBe(403);

  await row(page, "nightly").getByRole("button", { name: "Revoke the token nightly" }).click();
  const ask = page.getByRole("dialog", { name: "Revoke the token nightly?" });
  await expect(ask.getByRole("button", { name: "Cancel" }), "the harmless answer has the focus").toBeFocused();
  await ask.getByRole("button", { name: "Revoke 1 token" }).click();
  await expect(page.getByText("The token nightly was revoked.")).toBeVisible();
  await expect(row(page, "nightly")).toContainText("Revoked");
  expect((await machine.get("/api/v1/overview")).status()).toBe(401);
  await machine.dispose();
});

test("makes one token of a press whose answer was lost", async ({ page }) => {
  await page.goto("/tokens");
  await page.getByRole("button", { name: "New token" }).click();
  const dialog = page.getByRole("dialog", { name: "New API token" });
  await dialog.getByLabel("Name").fill("once");
  let tries = 0;
  await page.route("**/api/v1/tokens", async (route) => {
    if (route.request().method() !== "POST" || tries++ > 0) return route.continue();
    await route.fetch();
    await route.abort("connectionreset");
  });
  await dialog.getByRole("button", { name: "Create token" }).click();
  await expect(dialog.getByRole("alert")).toContainText("The console does not answer.");
  await dialog.getByRole("button", { name: "Create token" }).click();
  await expect(page.getByRole("dialog").getByLabel("Key")).toHaveValue(/^rdv_/);
  await page.getByRole("button", { name: "Done" }).click();
  await expect(table(page).getByRole("rowheader")).toHaveCount(1);
});

test("says what is wrong and makes nothing", async ({ page }) => {
  await page.goto("/tokens");
  await page.getByRole("button", { name: "New token" }).click();
  const dialog = page.getByRole("dialog", { name: "New API token" });
  await dialog.getByLabel("Name").fill("bad\u202ename");
  await dialog.getByRole("button", { name: "Create token" }).click();
  await expect(dialog.getByRole("alert")).toContainText("The request is not valid.");
  await page.keyboard.press("Escape");
  await expect(page.getByText("No machine has a key yet")).toBeVisible();
});

async function fill(store: Store): Promise<void> {
  const columns = "(name, token_hash, role, scopes, created_by, create_time, expire_time, used_time, revoked_time)";
  for (const values of [
    `('nightly', 'h1', 'operator', '["PAY_ORDER","SEND_MAIL"]', 'grace', '2026-04-01 08:00:00', '2030-07-01 08:00:00', '2026-05-01 02:00:00', NULL)`,
    `('<b>grafana</b>', 'h2', 'viewer', NULL, 'ada', '2026-04-02 08:00:00', NULL, NULL, NULL)`,
    `('old-ci', 'h3', 'admin', NULL, 'ada', '2025-04-02 08:00:00', '2025-07-01 08:00:00', '2025-06-30 08:00:00', NULL)`,
    `('leaked', 'h4', 'auditor', NULL, 'ada', '2025-04-02 08:00:00', '2030-07-01 08:00:00', '2025-06-30 08:00:00', '2025-07-02 08:00:00')`,
  ]) {
    await store.run(`INSERT INTO t_retry_api_token ${columns} VALUES ${values}`);
  }
}

for (const [locale, scheme] of LOOKS) {
  test(`has no serious accessibility fault in ${scheme} and ${locale} (CONSOLE 9)`, async ({
    page,
    store,
    context,
    baseURL,
  }) => {
    await fill(store);
    for (const type of ["PAY_ORDER", "<b>bold</b>"]) await store.registerType(type);
    await context.addCookies([{ name: "redrive_locale", value: locale, url: baseURL ?? "" }]);
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto("/tokens");
    await expect(page.getByRole("rowheader", { name: "<b>grafana</b>" })).toBeVisible();
    await lookAt(page, "tokens");
    await page.getByRole("main").getByRole("button").first().click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.getByRole("dialog").getByRole("checkbox").first().check();
    await expect(page.getByRole("dialog").getByText("<b>bold</b>")).toBeVisible();
    await lookAt(page, "new-token");
  });
}
