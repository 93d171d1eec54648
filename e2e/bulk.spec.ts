import type { Locator, Page } from "@playwright/test";
import { BulkWorker } from "./support/bulk-worker.ts";
import { expect, type Store, test as base } from "./support/fixtures.ts";
import { lookAt } from "./support/look-at.ts";
import { LOOKS } from "./support/looks.ts";

const HOSTILE = `<img src=x onerror="window.__ran=1">\u202e'"\`{{7*7}}`;

/** A worker is started only by tests that need one, and ended with them. */
const test = base.extend<{ startWorker: () => void }>({
  startWorker: async ({ world }, use) => {
    const workers: BulkWorker[] = [];
    await use(() => void workers.push(new BulkWorker(world.environment)));
    for (const worker of workers) await worker.stop();
  },
});

/** Inserts failed tasks of one cause by one statement. */
async function insertFailed(
  store: Store,
  tasks: { readonly count: number; readonly eventType?: string; readonly cause?: string; readonly error?: string },
): Promise<void> {
  const { count, eventType = "PAY_ORDER", cause = "aa11", error = "TimeoutError: bank did not answer" } = tasks;
  const rows = Array.from({ length: count }, () => "(?, UUID(), '{}', 2, 5, 5, 'EXPONENTIAL', 10, @past, @past, ?, ?)");
  await store.run(
    `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy, first_retry_interval,
      next_retry_time, finished_time, last_error, error_fingerprint) VALUES ${rows.join(",").replaceAll("@past", "TIMESTAMPADD(HOUR, -30, UTC_TIMESTAMP(3))")}`,
    Array.from({ length: count }, () => [eventType, error, cause]).flat(),
  );
}

/** The panel in which an action is ordered. */
class Panel {
  readonly dialog: Locator;

  constructor(page: Page) {
    this.dialog = page.getByRole("dialog", { name: "Reset many tasks" });
  }

  async fill(name: string, reason: string, pace?: string): Promise<void> {
    await this.dialog.getByLabel("Name").fill(name);
    await this.dialog.getByLabel("Reason").fill(reason);
    if (pace !== undefined) await this.dialog.getByLabel("Tasks per second").fill(pace);
  }

  start(count: string): Locator {
    return this.dialog.getByRole("button", { name: `Reset ${count} tasks` });
  }
}

/** The state of an action, beside its name at the head of its page. */
const stateOf = (tab: Page, state: string): Locator =>
  tab
    .locator("header")
    .filter({ has: tab.getByRole("heading", { level: 1 }) })
    .getByText(state, { exact: true });

/** The undo time of every stored action is over. */
const skipDelay = (store: Store) => store.run("UPDATE t_retry_bulk SET start_time = create_time");

async function openPanel(page: Page, cause = "aa11"): Promise<Panel> {
  await page.goto("/causes");
  await page.getByRole("button", { name: new RegExp(`of cause ${cause}`) }).click();
  return new Panel(page);
}

test("takes what was selected in the task list, and offers the way back for it", async ({ page, store, problems }) => {
  await insertFailed(store, { count: 3 });
  await page.goto("/tasks?state=failed");
  const boxes = page.locator("tbody").getByRole("checkbox");
  for (const row of [0, 1]) await boxes.nth(row).check();
  await page.getByRole("button", { name: "Reset 2 tasks…" }).click();
  const panel = new Panel(page);
  await panel.fill("INC-4", "try two");
  await panel.start("2").click();
  await panel.dialog.getByRole("button", { name: "Undo" }).click();
  await expect(panel.dialog).toContainText("Taken back. Nothing was changed.");
  await panel.dialog.getByRole("button", { name: "Close" }).click();
  await expect(page.getByRole("checkbox", { checked: true })).toHaveCount(0);
  expect(problems).toEqual([]);
});

test("C3: resets all tasks of one cause, from its row to the report, and no other", async ({
  page,
  context,
  store,
  startWorker,
  problems,
}) => {
  await insertFailed(store, { count: 45 });
  await insertFailed(store, { count: 3, eventType: "SHIP", cause: "bb22", error: "address unknown" });
  startWorker();
  const panel = await openPanel(page);
  await expect(panel.dialog).toContainText("45 match");
  await expect(panel.dialog).toContainText("Failed for good");
  await expect(panel.dialog).toContainText("cause aa11");
  await panel.fill("INC-7 bank down", "the bank is back", "");
  await panel.start("45").click();
  await expect(panel.dialog).toContainText("Are you sure?");
  await panel.start("45").click();
  await expect(panel.dialog).toContainText(/Begins in \d+ s\. Nothing has been changed yet\./);
  await skipDelay(store);
  await panel.dialog.getByRole("link", { name: "Watch its progress" }).click();

  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Reset · INC-7 bank down");
  const other = await context.newPage();
  await other.goto(page.url());
  for (const tab of [page, other]) {
    await expect(stateOf(tab, "Finished")).toBeVisible();
    await expect(tab.getByRole("definition").filter({ hasText: /^45$/ }).first()).toBeVisible();
    await expect(tab.getByRole("progressbar", { name: "100 % dealt with" })).toBeVisible();
  }
  const outcome = page.getByRole("region", { name: "What became of the changed tasks" });
  await expect(outcome.getByText("Waiting")).toBeVisible();
  const items = page.getByRole("table", { name: "Tasks of this action and what became of each" });
  await expect(items.getByRole("row")).toHaveCount(46);

  await page.getByRole("link", { name: "Causes", exact: true }).click();
  await expect(page.getByRole("button", { name: /of cause bb22/ })).toBeVisible();
  await expect(page.getByRole("button", { name: /of cause aa11/ })).toHaveCount(0);
  expect(problems).toEqual([]);
});

test("more than 1,000 tasks ask for their number, and ten seconds for the way back", async ({
  page,
  store,
  startWorker,
}) => {
  await insertFailed(store, { count: 1_001 });
  startWorker();
  const panel = await openPanel(page);
  await panel.fill("INC-8", "try it");
  const start = panel.start("1,001");
  await expect(start).toBeDisabled();
  const number = panel.dialog.getByLabel("Type 1,001 to confirm");
  await number.fill("1000");
  await expect(start).toBeDisabled();
  await number.fill("1001");
  await start.click();
  await panel.dialog.getByRole("button", { name: "Undo" }).click();
  await expect(panel.dialog).toContainText("Taken back. Nothing was changed.");
  await panel.dialog.getByRole("button", { name: "Close" }).click();
  await skipDelay(store);
  await page.getByRole("link", { name: "Bulk actions" }).click();
  await expect(page.getByRole("row").filter({ hasText: "INC-8" })).toContainText("Undone");
  await page.getByRole("link", { name: "Causes", exact: true }).click();
  await expect(page.getByRole("cell", { name: "1,001", exact: true })).toBeVisible();
});

test("CONSOLE 9: two tabs follow one action; one slows, pauses, resumes and aborts it, the other sees each", async ({
  page,
  context,
  store,
  startWorker,
}) => {
  test.slow();
  await insertFailed(store, { count: 600 });
  startWorker();
  const panel = await openPanel(page);
  await panel.fill("INC-9", "slowly", "5");
  await panel.start("600").click();
  await panel.start("600").click();
  await expect(panel.dialog).toContainText("Begins in");
  await skipDelay(store);
  await panel.dialog.getByRole("link", { name: "Watch its progress" }).click();
  await expect(stateOf(page, "Running")).toBeVisible();
  const other = await context.newPage();
  await other.goto(page.url());

  await page.getByLabel("Tasks per second").fill("2");
  await page.getByRole("button", { name: "Set pace" }).click();
  await expect(other.getByText("2 tasks/s")).toBeVisible();
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await expect(stateOf(other, "Paused")).toBeVisible();
  await other.getByRole("button", { name: "Resume" }).click();
  await expect(stateOf(page, "Running")).toBeVisible();
  await expect(page.getByRole("progressbar")).not.toHaveAttribute("aria-valuenow", "0");
  await page.getByRole("button", { name: "Abort" }).click();
  const dialog = page.getByRole("dialog", { name: "Abort this action?" });
  await dialog.getByLabel("Reason (optional)").fill("enough");
  await dialog.getByRole("button", { name: "Abort the action" }).click();
  for (const tab of [page, other]) await expect(stateOf(tab, "Aborted")).toBeVisible();
  const [changed = ""] = await page.getByRole("definition").filter({ hasText: /^\d+$/ }).allInnerTexts();
  expect(Number(changed)).toBeGreaterThan(0);
  expect(Number(changed)).toBeLessThan(600);

  await page.getByRole("button", { name: "Revert", exact: true }).click();
  await page
    .getByRole("dialog", { name: "Revert this action?" })
    .getByRole("button", { name: /^Revert/ })
    .click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Revert · INC-9");
  await expect(stateOf(page, "Finished")).toBeVisible();
  await page.goto("/causes");
  await expect(page.getByRole("cell", { name: "600", exact: true }), "all are failed again").toBeVisible();
});

test("C3: the same order again is refused while the first is open", async ({ page, store }) => {
  await insertFailed(store, { count: 3 });
  const panel = await openPanel(page);
  await panel.fill("first", "once");
  await panel.start("3").click();
  await expect(panel.dialog).toContainText("Begins in");
  const again = await openPanel(page);
  await again.fill("second", "again");
  await again.start("3").click();
  await expect(again.dialog.getByRole("alert")).toContainText("already open");
});

test("says that no worker sees to an action", async ({ page, store }) => {
  await insertFailed(store, { count: 3 });
  const panel = await openPanel(page);
  await panel.fill("waits", "nobody there");
  await panel.start("3").click();
  await expect(panel.dialog).toContainText("Begins in");
  await store.run("UPDATE t_retry_bulk SET start_time = TIMESTAMPADD(MINUTE, -1, create_time)");
  await panel.dialog.getByRole("link", { name: "Watch its progress" }).click();
  await expect(page.getByText("No worker sees to it at the moment.")).toBeVisible();
});

test("is ordered by keyboard alone, and Escape leaves everything as it is", async ({ page, store }) => {
  await insertFailed(store, { count: 2 });
  await page.goto("/causes");
  const reset = page.getByRole("button", { name: /of cause aa11/ });
  await reset.focus();
  await page.keyboard.press("Enter");
  const panel = new Panel(page);
  await expect(panel.dialog).toContainText("2 match");
  await page.keyboard.press("Escape");
  await expect(panel.dialog).toHaveCount(0);
  await expect(reset).toBeFocused();
  await page.keyboard.press("Enter");
  await panel.dialog.getByLabel("Name").focus();
  await page.keyboard.type("by keyboard");
  await page.keyboard.press("Tab");
  await page.keyboard.type("because");
  for (let presses = 0; presses < 6; presses++) {
    await page.keyboard.press("Tab");
    if (await panel.start("2").evaluate((button) => button === document.activeElement)) break;
  }
  await page.keyboard.press("Enter");
  await expect(panel.dialog).toContainText("Begins in");
});

test("X1: shows hostile names, keys and errors literally, and exports them safely", async ({
  page,
  store,
  startWorker,
  problems,
}) => {
  await insertFailed(store, { count: 2, eventType: HOSTILE.slice(0, 60), cause: "<b>x</b>", error: HOSTILE });
  await store.run("UPDATE t_retry_task SET biz_key = CONCAT('=cmd|', id)");
  startWorker();
  await page.goto("/causes");
  await expect(page.getByText("<img src=x onerror").first()).toBeVisible();
  await page.getByRole("button", { name: /^Reset 2 tasks/ }).click();
  const panel = new Panel(page);
  await panel.fill(HOSTILE, HOSTILE, "");
  await panel.start("2").click();
  await expect(panel.dialog).toContainText("Begins in");
  await skipDelay(store);
  await panel.dialog.getByRole("link", { name: "Watch its progress" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("‹U+202E›");
  await expect(stateOf(page, "Finished")).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "CSV" }).click(),
  ]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  const csv = Buffer.concat(chunks).toString("utf8");
  expect(csv.split("\r\n")).toHaveLength(4);
  expect(csv).toContain(",'=cmd|");
  expect(await page.evaluate(() => (window as { __ran?: number }).__ran)).toBeUndefined();
  expect(problems).toEqual([]);
});

test("answers an empty installation kindly", async ({ page }) => {
  await page.goto("/causes");
  await expect(page.getByText("No task waits for a person")).toBeVisible();
  await page.goto("/bulk");
  await expect(page.getByText("No bulk action yet")).toBeVisible();
  await page.goto("/bulk/99");
  await expect(page.getByText("There is no such bulk action.")).toBeVisible();
});

test("keeps what a cause says and its button in sight at any width", async ({ page, store }) => {
  const error = "TimeoutError: the bank did not answer within thirty seconds";
  await insertFailed(store, { count: 3, error });
  await insertFailed(store, { count: 1, error, eventType: "A_RATHER_LONG_EVENT_TYPE" });
  const reset = page.getByRole("button", { name: /^Reset 4 tasks/ });
  for (const width of [1440, 1280, 1100, 1024, 720, 641, 390]) {
    await page.setViewportSize({ width, height: 450 });
    await page.goto("/causes");
    await reset.scrollIntoViewIfNeeded();
    const [text, button] = [await page.getByText(error).boundingBox(), await reset.boundingBox()];
    expect(text?.width, `the cause at ${width} px`).toBeGreaterThan(120);
    expect((button?.x ?? width) + (button?.width ?? 0), `the button at ${width} px`).toBeLessThanOrEqual(width);
  }
});

for (const [language, scheme] of LOOKS) {
  test(`CONSOLE 9: no serious fault of accessibility in ${language}, ${scheme}`, async ({
    page,
    store,
    startWorker,
  }) => {
    test.slow();
    await page.emulateMedia({ colorScheme: scheme });
    await insertFailed(store, { count: 1_200 });
    await insertFailed(store, { count: 30, eventType: "SHIP", cause: "bb22", error: "address unknown" });
    startWorker();
    await page.goto("/causes");
    if (language === "zh-CN") await page.getByRole("button", { name: "中文" }).click();
    await page.setViewportSize({ width: 1440, height: 900 });
    const resets = page.getByRole("table").getByRole("button");
    await expect(resets).toHaveCount(2);
    await lookAt(page, "bulk-causes");
    await resets.first().click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.locator("form")).toBeVisible();
    await lookAt(page, "bulk-panel");
    await dialog.locator("input").first().fill("INC-10");
    await dialog.locator("textarea").fill("back again");
    await dialog.getByRole("checkbox").check();
    await dialog.locator("input[inputmode=numeric]").fill("1200");
    await dialog.locator("form button[type=submit]").click();
    await expect(dialog.locator("form")).toHaveCount(0);
    await lookAt(page, "bulk-ordered");
    await skipDelay(store);
    await dialog.getByRole("link").click();
    await expect(page.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "1");
    await expect(page.getByRole("table")).toBeVisible();
    await lookAt(page, "bulk-detail");
    await page.goto("/bulk");
    await expect(page.getByRole("table").getByRole("row")).toHaveCount(2);
    await lookAt(page, "bulk-list");
  });
}
