import AxeBuilder from "@axe-core/playwright";
import { chooseFromMenu } from "./support/choose-from-menu.ts";
import { startConsole } from "./support/console-process.ts";
import { expect, test } from "./support/fixtures.ts";
import { untilKeysAct } from "./support/until-keys-act.ts";

test("finds a task by its id and others by what is known of them, from the keyboard", async ({ page }) => {
  await page.goto("/");
  const search = page.getByRole("searchbox", { name: "Search for a task" });
  await untilKeysAct(page);
  await page.locator("body").press("/");
  await expect(search).toBeFocused();
  await page.keyboard.type("1970670598291982290");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/tasks\/1970670598291982290$/);
  await search.fill("order-7&x=<b>");
  await search.press("Enter");
  await expect(page).toHaveURL(/\/tasks\?bizKeyPrefix=order-7%26x%3D%3Cb%3E$/);
});

test("lists its keys, goes where they say, and leaves letters alone where they are text or turned off", async ({
  page,
  baseURL,
}) => {
  await page.goto("/accounts");
  await untilKeysAct(page);
  await page.locator("body").press("?");
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await expect(dialog).toContainText("go to Overview");
  await dialog.getByRole("button", { name: "Close" }).click();

  await page.getByRole("searchbox").focus();
  await page.keyboard.type("go?");
  await expect(page.getByRole("searchbox")).toHaveValue("go?");
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await expect(page).toHaveURL(`${baseURL}/`);

  await page.getByRole("button", { name: "Keys and words" }).click();
  await dialog.getByLabel("Single letters and signs act").uncheck();
  await page.keyboard.press("Escape");
  await page.reload();
  await untilKeysAct(page);
  await page.locator("body").press("?");
  await page.locator("body").press("/");
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("searchbox")).not.toBeFocused();
});

test("CONSOLE 3.11: turns off every single letter, on every page, and says which there are where one is", async ({
  page,
  store,
}) => {
  const id = await store.insert({ status: "failed" });
  await page.goto("/tasks");
  const row = page.locator(`tr[data-task="${id}"]`);
  await expect(row).toBeVisible();
  // Its script comes while the rows are read, and its key with it.
  await expect(page.getByRole("button", { name: "Filter" })).toBeEnabled();
  await page.keyboard.press("f");
  await expect(page.getByRole("dialog", { name: "Filter" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Filter" })).toBeFocused();
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys" });
  for (const text of [
    "next row",
    "select the row",
    "reset the task of the row",
    "filter",
    "pause or resume",
    "Ctrl / ⌘",
  ]) {
    await expect(dialog).toContainText(text);
  }
  await dialog.getByLabel("Single letters and signs act").uncheck();
  await page.keyboard.press("Escape");
  for (const key of ["j", "x", "r", "p", "f", "/", "?"]) await page.keyboard.press(key);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(row).toHaveAttribute("aria-selected", "false");
  await expect(page.getByRole("button", { name: "Pause refresh" })).toBeVisible();

  await page.goto(`/tasks/${id}`);
  const reset = page.getByRole("button", { name: "Reset…", exact: true });
  await expect(reset, "no letter stands on it").toBeVisible();
  await page.keyboard.press("r");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("CONSOLE 9: the first stop of the keyboard leads past the navigation", async ({ page }) => {
  await page.goto("/accounts");
  await expect(page.getByRole("heading", { name: "Accounts" })).toBeVisible();
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to content" });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
});

test("tells in the browser's tab how the system is, on every page and in both languages", async ({
  page,
  store,
  baseURL,
  problems,
}) => {
  // The framework may have written the link twice: each shows the same.
  const icons = () =>
    page
      .locator('head link[rel="icon"]')
      .evaluateAll((links) => [...new Set(links.map((link) => link.getAttribute("href")))]);
  const calm = [expect.stringContaining("/icon.svg")];
  await page.goto("/tasks");
  await expect(page.locator("[data-verdict=calm]")).toBeVisible();
  await expect(page).toHaveTitle("Tasks · Redrive");
  await expect.poll(icons).toEqual(calm);

  const hostile = await store.insert({ eventType: "<b>(9)", status: "failed" });
  await store.insert({ eventType: "PAY_ORDER", status: "failed" });
  await page.getByRole("button", { name: "Refresh now" }).click();
  await expect(page).toHaveTitle("(2) Tasks · Redrive");
  const attention = await icons();
  expect(attention).toEqual([expect.stringMatching(/^data:image\/svg\+xml,/)]);
  await page.getByRole("link", { name: "Accounts" }).click();
  await expect(page).toHaveTitle("(2) Accounts · Redrive");
  await page.goto(`/tasks/${hostile}`);
  await expect(page).toHaveTitle(`(2) Task ${hostile} · Redrive`);

  await page.context().addCookies([{ name: "redrive_locale", value: "zh-CN", url: baseURL ?? "" }]);
  await page.goto("/tasks");
  await expect(page).toHaveTitle("(2) 任务 · Redrive");
  const refresh = page.getByRole("button", { name: "立即刷新" });
  await store.stopWorker("w-1");
  await refresh.click();
  await expect(page).toHaveTitle("(!) 任务 · Redrive");
  const act = await icons();
  expect(act).toEqual([expect.stringMatching(/^data:image\/svg\+xml,/)]);
  expect(act).not.toEqual(attention);
  await store.registerWorker("w-2");
  await store.run("DELETE FROM t_retry_task");
  await refresh.click();
  await expect(page).toHaveTitle("任务 · Redrive");
  await expect.poll(icons).toEqual(calm);
  expect(problems).toEqual([]);
});

test("says in the person's language that the frame failed, and loads it anew", async ({ page, baseURL }) => {
  await page.context().addCookies([{ name: "redrive_locale", value: "zh-CN", url: baseURL ?? "" }]);
  await page.goto("/accounts");
  await untilKeysAct(page);
  await page.route("**/_next/static/chunks/**", (route) => route.abort());
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("heading", { name: "页面无法显示" })).toBeVisible();
  await page.unroute("**/_next/static/chunks/**");
  await page.getByRole("button", { name: "重试" }).click();
  await expect(page.getByRole("heading", { name: "账号" })).toBeVisible();
});

test("says so while the console cannot be reached, and no longer once it is there again", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "All normal" })).toBeVisible();
  await page.route("**/api/v1/**", (route) => route.abort());
  await page.getByRole("button", { name: "Refresh now" }).click();
  await expect(page.getByText("The console does not answer. What you see may be old")).toBeVisible();
  await page.unroute("**/api/v1/**");
  await page.getByRole("button", { name: "Refresh now" }).click();
  await expect(page.getByText("What you see may be old")).toHaveCount(0);
});

test("says which environment it is, production in red", async ({ world, page }) => {
  const production = await startConsole({ ...world.environment, REDRIVE_ENVIRONMENT: "production" });
  try {
    await page.goto(production.baseUrl);
    const badge = page.getByTitle("Environment");
    await expect(badge).toContainText("production");
    const { violations } = await new AxeBuilder({ page }).include("header").analyze();
    expect(violations).toEqual([]);
  } finally {
    await production.stop();
  }
});

test("has its pages at the bottom of a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/");
  const box = await page.getByRole("navigation", { name: "Pages" }).boundingBox();
  expect(box && box.y + box.height).toBe(844);
  const more = page.getByRole("button", { name: "More" });
  await chooseFromMenu(page, more, "Accounts");
  await expect(page.getByRole("heading", { name: "Accounts" })).toBeVisible();
});

test("goes by Ctrl and K to a page, a task, an event type, and to what was open last", async ({ page, store }) => {
  const failed = await store.insert({ eventType: "PAY_ORDER", bizKey: "order-1", status: "failed" });
  await store.registerType("PAY_ORDER");
  await page.goto("/accounts");
  await untilKeysAct(page);
  const palette = page.getByRole("dialog", { name: "Go to", exact: true });
  const field = page.getByRole("combobox", { name: "Page, task id, biz key or event type" });
  const go = async (text: string) => {
    await page.keyboard.press("Control+k");
    await expect(field).toBeFocused();
    await page.keyboard.type(text);
  };

  await go(failed);
  await expect(palette.getByRole("option")).toHaveText([`Open task ${failed}`]);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/tasks/${failed}$`));

  await go("pay");
  await expect(page.getByRole("option", { name: "PAY_ORDER" })).toHaveAttribute("data-highlighted", "");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/tasks\?eventType=PAY_ORDER$/);

  await go("<b>order");
  await expect(palette.getByRole("option")).toHaveText(["Find tasks: <b>order"]);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/tasks\?bizKeyPrefix=%3Cb%3Eorder$/);

  await go("audit");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/audit$/);

  await go("");
  await expect(palette.getByRole("option").first()).toHaveText(`Task ${failed}`);
  const { violations } = await new AxeBuilder({ page }).include("dialog").analyze();
  expect(violations).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(field).toHaveCount(0);

  const opener = page.getByRole("button", { name: "Go to a page, a task or an event type" });
  await opener.click();
  await expect(field).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(opener).toBeFocused();
});

test("tells on every page how the system is, by icon and words", async ({ page, store }) => {
  await store.insert({ status: "failed" });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto("/accounts");
  const verdict = page.getByRole("link", { name: "State of the system: 1 task waits for a person" });
  await expect(verdict).toBeVisible();
  await expect(page.getByText("Refresh by hand")).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await verdict.click();
  await expect(page.getByRole("heading", { name: "1 task waits for a person" })).toBeVisible();
});

test("makes the navigation narrow, and remembers it", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto("/accounts");
  const aside = page.getByRole("complementary");
  await expect(aside).toHaveCSS("width", "200px");
  await page.getByRole("button", { name: "Collapse the navigation" }).click();
  await expect(aside).toHaveCSS("width", "56px");
  await page.reload();
  await expect(aside).toHaveCSS("width", "56px");
  await page.getByRole("link", { name: "Audit log" }).click();
  await expect(page.getByRole("heading", { name: "Audit log" })).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).include("aside").analyze();
  expect(violations).toEqual([]);
  await page.getByRole("button", { name: "Expand the navigation" }).click();
  await expect(aside).toHaveCSS("width", "200px");
});
