import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { type AuditValues, insertAuditRow } from "./support/audit-rows.ts";
import { expect, type Store, test } from "./support/fixtures.ts";
import { lookAt } from "./support/look-at.ts";
import { LOOKS } from "./support/looks.ts";

const table = (page: Page) => page.getByRole("table", { name: "Audit entries, newest first" });
const rows = (page: Page) =>
  table(page)
    .getByRole("row")
    .filter({ has: page.getByRole("button") });
const drawer = (page: Page) => page.getByRole("dialog", { name: /^Audit entry \d+$/ });

async function fill(store: Store, ...entries: readonly AuditValues[]): Promise<void> {
  for (const entry of entries) await insertAuditRow(store, entry);
}

/** Entries as a day of operation leaves them. */
const DAY: readonly AuditValues[] = [
  { at: "2026-05-01 01:10:00.000", action: "session.sign_in", objectKind: "account", objectId: "3", actor: "grace" },
  {
    ...{ at: "2026-05-01 01:12:41.120", action: "event_type.update", objectKind: "event_type", objectId: "PAY_ORDER" },
    ...{ actor: "grace", role: "admin", reason: "provider asks for less" },
    detail: {
      before: { concurrency: 16, retry: { max: 8 } },
      after: { concurrency: 4, retry: { max: 12 } },
      version: 7,
    },
  },
  { at: "2026-05-01 02:00:00.000", action: "task.reset", objectId: "42", actor: "token:nightly", actorKind: "token" },
  { at: "2026-05-01 02:00:01.000", action: "task.reset", objectId: "43", actor: "token:nightly", actorKind: "token" },
  {
    ...{ at: "2026-05-01 03:30:00.000", action: "request.denied", objectKind: "route", actor: "vic", role: "viewer" },
    ...{ objectId: "POST /api/v1/tasks/42/reset", result: "denied", reason: "", detail: { code: "forbidden" } },
  },
  { at: "2026-05-01 03:31:00.000", action: "task.reset", objectId: "44", result: "failed", actor: "ada" },
];

test("shows who did what, and in the drawer what changed and what else belongs to it", async ({ page, store }) => {
  await fill(store, ...DAY);
  await page.goto("/audit");
  await expect(page).toHaveTitle("Audit log · Redrive");
  await expect(rows(page)).toHaveCount(6);
  await expect(page.getByText("6 entries", { exact: true })).toBeVisible();
  const denied = rows(page).nth(1);
  await expect(denied).toContainText("vic");
  await expect(denied).toContainText("viewer");
  await expect(denied).toContainText("Denied");
  await expect(denied.getByRole("time")).toContainText("11:30:00");

  await rows(page).nth(4).getByRole("button").press("Enter");
  await expect(drawer(page)).toContainText("provider asks for less");
  await expect(drawer(page).getByRole("row", { name: "concurrency 16 4" })).toBeVisible();
  await expect(drawer(page).getByRole("row", { name: "retry.max 8 12" })).toBeVisible();
  await expect(drawer(page)).toContainText("version");
  await expect(drawer(page).getByRole("heading", { name: "5 further entries of this action" })).toBeVisible();
  await expect(page).toHaveURL(/entry=\d+/);

  await page.keyboard.press("Escape");
  await expect(drawer(page)).toHaveCount(0);
  await expect(rows(page).nth(4).getByRole("button"), "the focus returns").toBeFocused();

  await rows(page).nth(3).click();
  await drawer(page).getByRole("button", { name: "All entries of this actor" }).click();
  await expect(drawer(page)).toHaveCount(0);
  await expect(rows(page)).toHaveCount(2);
});

test("filters by all it names; the view can be sent by its address (CONSOLE 9)", async ({
  page,
  store,
  browser,
  baseURL,
}) => {
  await fill(store, ...DAY);
  await page.goto("/audit");
  // The form is made anew when the page's script begins.
  await expect(rows(page)).toHaveCount(6);
  const filters = page.getByRole("search", { name: "Filter the audit log" });
  await filters.getByLabel("Action").fill("task.*");
  await filters.getByLabel("Action").press("Enter");
  await expect(rows(page)).toHaveCount(3);
  await filters.getByLabel("Result").selectOption({ label: "Done" });
  await expect(rows(page)).toHaveCount(2);
  await filters.getByLabel("From").fill("2026-05-01T10:00");
  await filters.getByLabel("From").press("Enter");
  await filters.getByLabel("Before").fill("2026-05-01T10:01");
  await filters.getByLabel("Before").press("Enter");
  await expect(rows(page)).toHaveCount(2);
  await expect(page).toHaveURL(/to=2026-05-01T02/);
  await expect(page.getByText("2 entries", { exact: true })).toBeVisible();
  await rows(page).first().click();
  await expect(drawer(page)).toContainText("43");
  await expect(page).toHaveURL(/entry=\d+/);

  const context = await browser.newContext({
    baseURL: baseURL ?? "",
    locale: "en-GB",
    storageState: await page.context().storageState(),
  });
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(drawer(other)).toContainText("43");
  await expect(rows(other)).toHaveCount(2);
  await context.close();

  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rows(page)).toHaveCount(6);
  await filters.getByLabel("Actor").fill("nobody");
  await filters.getByRole("button", { name: "Filter" }).click();
  await expect(page.getByText("No entry matches these filters")).toBeVisible();
});

test("CONSOLE 3.10: goes to the last hour, day or week and to today at one press", async ({ page, store }) => {
  const hoursAgo = (hours: number) => store.stored(new Date(Date.now() - hours * 3_600_000));
  for (const [n, hours] of [300, 100, 5, 0.5].entries()) {
    await fill(store, { at: hoursAgo(hours), action: "task.reset", objectId: String(n + 1), actor: "ada" });
  }
  await page.goto("/audit?actor=ada");
  await expect(rows(page)).toHaveCount(4);
  for (const [name, count] of [
    ["Last hour", 1],
    ["Last 24 hours", 2],
    ["Last 7 days", 3],
  ] as const) {
    await page.getByRole("button", { name, exact: true }).click();
    await expect(rows(page)).toHaveCount(count);
  }
  await page.getByRole("button", { name: "Today", exact: true }).click();
  await expect(page.getByLabel("From")).toHaveValue(/T00:00$/);
  await expect(page).toHaveURL(/actor=ada/);
});

test("turns pages both ways", async ({ page, store }) => {
  await fill(store, ...Array.from({ length: 60 }, (_, n) => ({ objectId: `object-${n}` })));
  await page.goto("/audit");
  await expect(rows(page)).toHaveCount(50);
  await expect(rows(page).first()).toContainText("object-59");
  await page.getByRole("button", { name: "Older" }).click();
  await expect(rows(page)).toHaveCount(10);
  await expect(rows(page).first()).toContainText("object-9");
  await page.getByRole("button", { name: "Newer", exact: true }).click();
  await expect(rows(page)).toHaveCount(50);
  await expect(rows(page).first()).toContainText("object-59");
  await page.goBack();
  await expect(rows(page)).toHaveCount(10);
});

test("holds nothing that could change or delete an entry", async ({ page, store, request }) => {
  await fill(store, ...DAY);
  await page.goto("/audit");
  await rows(page).first().click();
  await expect(drawer(page).getByRole("heading", { name: /further/ })).toBeVisible();
  await expect(page).toHaveURL(/entry=\d+/);
  await expect(page.getByRole("button", { name: /delete|remove|edit/i })).toHaveCount(0);
  const id = /entry=(\d+)/.exec(page.url())?.[1] ?? "";
  for (const path of [`/api/v1/audit/${id}`, "/api/v1/audit"]) {
    for (const method of ["DELETE", "PUT", "PATCH", "POST"]) {
      expect((await request.fetch(path, { method, data: {} })).status()).toBe(405);
    }
  }
});

test("a reset by a person is an entry at once, and the export holds it as a file", async ({ page, store }) => {
  const id = await store.insert({ eventType: "PAY_ORDER", bizKey: "order-7", status: "failed", retryCount: 3 });
  await page.goto("/");
  await page.getByRole("button", { name: new RegExp(`^Reset task ${id},`) }).click();
  await page.getByLabel("Reason (optional)").fill("=1+1");
  await page.getByRole("button", { name: "Reset 1 task" }).click();
  await expect(page.getByText(`Task ${id} was reset.`)).toBeVisible();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Audit log" }).click();
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page).first()).toContainText(id);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export CSV" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("audit.csv");
  const text = await readFile(await file.path(), "utf8");
  expect(text).toContain(",'=1+1,");
  expect(text.startsWith("\ufeffid,at,actor,")).toBe(true);
});

test("shows hostile texts literally (CONSOLE 9)", async ({ page, store, problems }) => {
  const markup = "<img src=x onerror=alert(1)>\u202e";
  await fill(store, {
    ...{ actor: "<b>ada</b>", action: "task.reset", objectId: markup, eventType: markup, reason: markup },
    detail: { before: { "<i>": markup }, after: { "<i>": "{{7*7}}" }, [markup]: markup },
  });
  await page.goto("/audit");
  await expect(rows(page).first()).toContainText("<img src=x onerror=alert(1)>‹U+202E›");
  await expect(rows(page).first()).toContainText("<b>ada</b>");
  await rows(page).first().click();
  await expect(drawer(page).getByRole("rowheader", { name: "<i>" })).toBeVisible();
  await expect(drawer(page)).toContainText("{{7*7}}");
  expect(problems).toEqual([]);
});

test("says why there is nothing to see", async ({ page, gate }) => {
  await page.goto("/audit");
  await expect(page.getByText("Nothing has been written yet")).toBeVisible();
  await page.goto("/audit?result=denied&cursor=nonsense");
  await expect(page.getByRole("alert").getByText("The request is not valid.")).toBeVisible();
  await page.goto("/audit?entry=424242");
  await expect(page.getByRole("dialog").getByText("There is no such audit entry.")).toBeVisible();
  await gate.close();
  await page.goto("/audit");
  await expect(page.getByRole("alert").getByText("The database does not answer.")).toBeVisible();
});

for (const [locale, scheme] of LOOKS) {
  test(`has no serious accessibility fault in ${scheme} and ${locale} (CONSOLE 9)`, async ({
    page,
    store,
    context,
    baseURL,
  }) => {
    await fill(store, ...DAY);
    await context.addCookies([{ name: "redrive_locale", value: locale, url: baseURL ?? "" }]);
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto("/audit");
    await expect(page.getByRole("row")).toHaveCount(7);
    await lookAt(page, "audit");
    await page.getByRole("row").nth(5).click();
    await expect(page.getByRole("dialog").getByText("retry.max")).toBeVisible();
    await lookAt(page, "audit-entry");
  });
}
