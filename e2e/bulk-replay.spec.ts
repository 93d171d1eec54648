import AxeBuilder from "@axe-core/playwright";
import type { Locator, Page } from "@playwright/test";
import { BulkWorker } from "./support/bulk-worker.ts";
import { expect, type Store, test as base } from "./support/fixtures.ts";
import { LOOKS } from "./support/looks.ts";

const HOSTILE = `<img src=x onerror="window.__ran=1">\u202e'"\`{{7*7}}`;
const HOUR_MS = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms);

/** A worker is started only by tests that need one, and ended with them. */
const test = base.extend<{ startWorker: () => void }>({
  startWorker: async ({ world }, use) => {
    const workers: BulkWorker[] = [];
    await use(() => void workers.push(new BulkWorker(world.environment)));
    for (const worker of workers) await worker.stop();
  },
});

/** The panel in which a replay is ordered. */
class Panel {
  readonly dialog: Locator;

  constructor(page: Page) {
    this.dialog = page.getByRole("dialog", { name: "Replay archived tasks" });
  }

  async fill(name: string, reason: string): Promise<void> {
    await this.dialog.getByLabel("Name").fill(name);
    await this.dialog.getByLabel("Reason").fill(reason);
    await this.dialog.getByLabel("Tasks per second").fill("");
  }

  get start(): Locator {
    return this.dialog.getByRole("button", { name: /^Replay/ });
  }
}

/** The undo time of every stored action is over. */
const skipDelay = (store: Store) => store.run("UPDATE t_retry_bulk SET start_time = create_time");

/** Archived tasks of the registered type PAY that failed for good, ids from 1001 on. */
async function archiveFailed(store: Store, count: number): Promise<void> {
  await store.registerType("PAY");
  const rows = Array.from({ length: count }, (_, n) => ({
    ...{ id: String(1_001 + n), eventType: "PAY", bizKey: `order-${n + 1}`, status: "failed" as const, retryCount: 3 },
    ...{ lastError: "TimeoutError: bank did not answer", errorFingerprint: "aa11", finishReason: "exhausted" },
    archivedAt: ago(HOUR_MS + n * 1_000),
  }));
  await Promise.all(rows.map((row) => store.archive(row)));
}

test("CONSOLE 9: replays all that match, from the archive's list to the report of each task", async ({
  page,
  store,
  startWorker,
  problems,
}) => {
  await archiveFailed(store, 30);
  await store.archive({ id: "2001", eventType: "PAY", bizKey: "order-1", archivedAt: ago(60_000) });
  const twin = await store.insert({ eventType: "PAY", bizKey: "order-2", status: "failed" });
  startWorker();
  await page.goto("/archive?state=failed");
  await page.getByRole("button", { name: "Replay all that match…" }).click();
  const panel = new Panel(page);
  await expect(panel.dialog).toContainText("30 match");
  await expect(panel.dialog.getByRole("region", { name: "Which tasks" })).toContainText("failed for good");
  const aside = panel.dialog.getByRole("region", { name: "What is left alone" });
  for (const text of ["28 will be replayed", "1 a live task has the same", "1 the archive has a newer task"]) {
    await expect(aside).toContainText(text);
  }
  await panel.fill("INC-7 bank down", "the bank is back");
  await panel.start.click();
  await expect(panel.dialog).toContainText("Are you sure?");
  await panel.start.click();
  await expect(panel.dialog).toContainText(/Begins in \d+ s\. Nothing has been changed yet\./);
  await skipDelay(store);
  await panel.dialog.getByRole("link", { name: "Watch its progress" }).click();

  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Replay · INC-7 bank down");
  await expect(page.getByRole("progressbar", { name: "100 % dealt with" })).toBeVisible();
  const outcome = page.getByRole("region", { name: "What became of the new tasks" });
  await expect(outcome.getByRole("definition").filter({ hasText: /^28$/ })).toBeVisible();
  const tasks = page.getByRole("region", { name: "Tasks", exact: true });
  await tasks.getByRole("button", { name: "Left alone" }).click();
  const items = page.getByRole("table", { name: "Tasks of this action and what became of each" });
  await expect(items.getByRole("row")).toHaveCount(3);
  await expect(items.getByRole("row").filter({ hasText: "order-1" })).toContainText("newer task of its key");
  await expect(
    items.getByRole("row").filter({ hasText: "order-2" }).getByRole("link", { name: twin, exact: true }),
  ).toHaveAttribute("href", `/tasks/${twin}`);
  const made = await store.rows(
    "SELECT COUNT(*) AS n, COUNT(DISTINCT parent_id) AS parents FROM t_retry_task WHERE status = 0 AND origin = 'replay'",
  );
  expect(made.map((row) => [Number(row["n"]), Number(row["parents"])])).toEqual([[28, 28]]);
  await tasks.getByRole("button", { name: "Replayed" }).click();
  await items.getByRole("row").filter({ hasText: "order-3" }).getByRole("link", { name: "1003", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Archived task 1003" })).toBeVisible();
  await expect(page.getByRole("table", { name: "What happened to this task" })).toContainText("the bank is back");
  const audit = () => store.rows("SELECT action, reason FROM t_retry_audit WHERE object_kind = 'bulk' ORDER BY id");
  await expect
    .poll(audit)
    .toMatchObject([{ action: "bulk.create", reason: "the bank is back" }, { action: "bulk.finish" }]);
  expect(problems).toEqual([]);
});

test("replays what was picked over pages; a task that succeeded needs a second yes and its number; undo takes all back", async ({
  page,
  store,
}) => {
  await archiveFailed(store, 52);
  await store.archive({ id: "2001", eventType: "PAY", bizKey: "paid", archivedAt: ago(60_000) });
  await page.goto("/archive");
  await page.getByRole("checkbox", { name: "Select the task with the biz key paid" }).check();
  await page.getByRole("button", { name: "Older" }).click();
  await page.getByRole("checkbox", { name: "Select the task with the biz key order-51" }).check();
  const bar = page.getByRole("region", { name: "Selected archived tasks" });
  await expect(bar).toContainText("2 selected");
  await bar.getByRole("button", { name: "Replay the 2 selected…" }).click();
  const panel = new Panel(page);
  await expect(panel.dialog).toContainText("2 chosen archived tasks");
  await expect(panel.dialog).toContainText("1 of them succeeded.");
  await panel.fill("INC-8", "try it");
  await panel.dialog.getByLabel("Type 2 to confirm").fill("2");
  await expect(panel.start).toBeDisabled();
  await panel.dialog.getByLabel("I want these effects to happen again").check();
  await panel.start.click();
  await panel.dialog.getByRole("button", { name: "Undo" }).click();
  await expect(panel.dialog).toContainText("Taken back. Nothing was changed.");
  await panel.dialog.getByRole("button", { name: "Close" }).click();
  await expect(bar).toHaveCount(0);
  await page.getByRole("link", { name: "Bulk actions" }).click();
  await expect(page.getByRole("row").filter({ hasText: "INC-8" })).toContainText("Undone");
  expect(await store.rows("SELECT id FROM t_retry_task")).toEqual([]);
});

test("a viewer finds nothing to replay with, and a filter ends a selection", async ({ page, store, as }) => {
  await archiveFailed(store, 3);
  const viewer = await as("viewer");
  await viewer.page.goto("/archive");
  await expect(viewer.page.getByRole("table").getByRole("row")).toHaveCount(4);
  await expect(viewer.page.getByRole("checkbox")).toHaveCount(0);
  await expect(viewer.page.getByRole("button", { name: /^Replay/ })).toHaveCount(0);

  await page.goto("/archive");
  await page.getByRole("checkbox", { name: "Select all tasks of this page" }).check();
  await expect(page.getByText("3 selected", { exact: true })).toBeVisible();
  await page.getByLabel("Final state", { exact: true }).selectOption("failed");
  await expect(page.getByText("3 selected", { exact: true })).toHaveCount(0);
});

for (const [language, scheme] of LOOKS) {
  test(`CONSOLE 9: ordering a replay has no serious accessibility fault and runs no hostile text in ${language}, ${scheme}`, async ({
    page,
    store,
    startWorker,
  }) => {
    test.slow();
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width: 1440, height: 900 });
    await archiveFailed(store, 24);
    await store.archive({ id: "2001", eventType: "PAY", bizKey: "order-1", archivedAt: ago(60_000) });
    await store.archive({
      ...{ id: "2002", eventType: HOSTILE.slice(0, 60), bizKey: HOSTILE, status: "failed", lastError: HOSTILE },
      ...{ errorFingerprint: "<b>x</b>", archivedAt: ago(120_000) },
    });
    await store.insert({ eventType: "PAY", bizKey: "order-2", status: "failed" });
    startWorker();
    await page.goto("/archive");
    if (language === "zh-CN") await page.getByRole("button", { name: "中文" }).click();
    const look = async (name: string) => {
      const { violations } = await new AxeBuilder({ page }).analyze();
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      expect(serious.map(({ id, nodes }) => `${name} ${id}: ${nodes[0]?.html}`)).toEqual([]);
      const folder = process.env["REDRIVE_SHOTS"];
      if (folder === undefined) return;
      await page.screenshot({ path: `${folder}/${name}-${language}-${scheme}.png` });
      await page.setViewportSize({ width: 390, height: 844 });
      await page.screenshot({ path: `${folder}/${name}-${language}-${scheme}-phone.png` });
      await page.setViewportSize({ width: 1440, height: 900 });
    };
    const table = page.getByRole("table");
    await table.getByRole("checkbox").nth(1).check();
    await table.getByRole("checkbox").nth(2).check();
    await look("selection");
    await page.getByRole("button", { name: /Replay all|重放全部/ }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.locator("form")).toBeVisible();
    await dialog.locator("summary").click();
    await expect(dialog.getByText("<img src=x onerror").first()).toBeVisible();
    await look("panel");
    await dialog.locator("form").scrollIntoViewIfNeeded();
    await dialog.locator("input").first().fill(HOSTILE);
    await dialog.locator("textarea").fill("back again");
    await dialog.locator("input[inputmode=numeric]").fill("26");
    await dialog.getByRole("checkbox").last().check();
    await look("filled");
    await dialog.locator("form button[type=submit]").click();
    await expect(dialog.locator("form")).toHaveCount(0);
    await look("ordered");
    await skipDelay(store);
    await dialog.getByRole("link").click();
    await expect(page.getByRole("heading", { level: 1 })).toContainText("‹U+202E›");
    await expect(page.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "100");
    await expect(page.getByRole("table").getByRole("row")).toHaveCount(27);
    await look("detail");
    await page.goto("/bulk");
    await expect(page.getByRole("table").getByRole("row")).toHaveCount(2);
    await look("list");
    expect(await page.evaluate(() => (window as { __ran?: number }).__ran)).toBeUndefined();
  });
}
