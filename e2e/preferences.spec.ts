import { expectToFit } from "./support/expect-to-fit.ts";
import { expect, test } from "./support/fixtures.ts";
import { OverviewPage } from "./support/overview-page.ts";

test("follows the language of the browser, and the switch before it", async ({
  browser,
  baseURL,
  storageState,
  store,
}) => {
  const id = await store.insert({ status: "failed", finishedTime: new Date("2026-09-24T06:03:20Z") });
  const context = await browser.newContext({
    locale: "zh-TW",
    baseURL: baseURL ?? "",
    timezoneId: "Asia/Shanghai",
    storageState,
  });
  const page = await context.newPage();
  await page.goto("/");
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
  await expect(page.getByRole("heading", { name: "1 个任务需要人工处理" })).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: id }).getByRole("time")).toContainText("2026-09-24 14:03:20");

  await page.getByRole("button", { name: "English" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await expect(page.getByRole("heading", { name: "1 task waits for a person" })).toBeVisible();
  await expect(page).toHaveTitle("(1) Overview · Redrive");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await context.close();
});

test("follows the theme of the system, and the switch before it, from the first answer on", async ({
  page,
  request,
}) => {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto("/");
  const dark = await background();
  await page.emulateMedia({ colorScheme: "light" });
  await expect.poll(background).not.toBe(dark);

  await page.getByRole("button", { name: "Dark theme" }).click();
  await expect.poll(background).toBe(dark);
  await page.reload();
  await expect.poll(background).toBe(dark);
  await expect(page.getByRole("button", { name: "Dark theme" })).toHaveAttribute("aria-pressed", "true");
  const html = await (await request.get("/sign-in", { headers: { Cookie: "redrive_theme=dark" } })).text();
  expect(html, "the server draws it, so nothing flashes").toMatch(/<html[^>]* data-theme="dark"/);
});

test("shows times in the zone of the browser, with its name, or in UTC", async ({ page, store }) => {
  const id = await store.insert({ status: "failed", finishedTime: new Date("2026-09-24T22:03:20Z") });
  const overview = new OverviewPage(page);
  await page.goto("/");
  const time = overview.task(id).getByRole("time");
  await expect(time).toHaveAttribute("datetime", "2026-09-24T22:03:20.000Z");
  await expect(time).toContainText(/25 Sept? 2026, 06:03:20/);
  await expect(overview.failedList.getByRole("columnheader", { name: "Asia/Shanghai (UTC+8)" })).toBeVisible();

  await page.getByRole("button", { name: "Times in Asia/Shanghai (UTC+8). Switch to UTC" }).click();
  await expect(time).toContainText(/24 Sept? 2026, 22:03:20/);
  await page.reload();
  await expect(time).toContainText(/24 Sept? 2026, 22:03:20/);
});

test("stops the refresh when a person pauses it", async ({ page, store }) => {
  const overview = new OverviewPage(page);
  await page.goto("/");
  await expect(overview.tile("Pending")).toHaveText("0");
  await page.getByRole("button", { name: "Pause refresh" }).click();
  await expect(page.getByText("Refresh paused")).toBeVisible();
  await store.insert();
  // What the page asked for before the pause, and what the framework fetches ahead of its links, is none of this.
  await page.waitForLoadState("networkidle");
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().includes("/api/v1/")) asked++;
  });
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  expect(asked).toBe(0);
  await page.getByRole("button", { name: "Refresh now" }).click();
  await expect(overview.tile("Pending")).toHaveText("1");
  await page.getByRole("button", { name: "Resume refresh" }).click();
  await store.insert();
  await expect(overview.tile("Pending")).toHaveText("2");
});

for (const width of [320, 768, 1024, 1440]) {
  test(`fits a screen of ${width} px`, async ({ page, store }) => {
    await store.insert({
      eventType: "T".repeat(64),
      bizKey: "k".repeat(128),
      status: "failed",
      lastError: "e".repeat(900),
    });
    await page.setViewportSize({ width, height: 800 });
    const overview = new OverviewPage(page);
    await page.goto("/");
    await expect(overview.failedList.getByRole("button", { name: /^Reset task/ })).toBeVisible();
    await expectToFit(page);
  });
}
