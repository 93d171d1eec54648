import { expect, test } from "./support/fixtures.ts";
import { OverviewPage } from "./support/overview-page.ts";
import { pauseRefresh } from "./support/pause-refresh.ts";

const LONG_ID = "1970670598291982290";

test("resets a failed task by click: pending in the table, gone from the list, counted anew", async ({
  page,
  store,
}) => {
  const id = await store.insert({ eventType: "PAY_ORDER", bizKey: "order-7", status: "failed", retryCount: 3 });
  const other = await store.insert({ eventType: "PAY_ORDER", bizKey: "order-8", status: "failed", retryCount: 3 });
  const overview = new OverviewPage(page);
  await page.goto("/");
  await expect(overview.tile("Failed for good")).toHaveText("2");

  await overview.resetButton(id).click();
  await expect(overview.dialog).toContainText("order-7");
  await overview.dialog.getByLabel("Reason (optional)").fill("downstream is back");
  await overview.confirmButton.click();

  await expect(overview.messages).toContainText(`Task ${id} was reset.`);
  await expect(overview.task(id)).toHaveCount(0);
  await expect(overview.task(other)).toBeVisible();
  await expect(overview.tile("Failed for good")).toHaveText("1");
  await expect(overview.tile("Pending")).toHaveText("1");
  expect(await store.read(id)).toMatchObject({ status: "pending", retryCount: 0, owner: null, finishReason: null });
  expect(await store.attempts(id)).toMatchObject([{ kind: "reset", actor: "console", detail: "downstream is back" }]);
  expect(await store.read(other)).toMatchObject({ status: "failed" });
});

test("C4: leaves a task alone that is running by now, and shows that state", async ({ page, store }) => {
  const id = await store.insert({ status: "failed", retryCount: 3 });
  const overview = new OverviewPage(page);
  await page.goto("/");
  await pauseRefresh(page);
  await overview.resetButton(id).click();
  await store.claim(id);
  const before = await store.read(id);
  await overview.confirmButton.click();

  await expect(overview.messages).toContainText(
    `Task ${id} was not reset: it is no longer failed. It is now: Running.`,
  );
  await expect(overview.task(id)).toContainText("Running");
  await expect(overview.task(id)).toContainText("it changed meanwhile");
  await page.getByRole("button", { name: "Refresh now" }).click();
  await expect(overview.tile("Failed for good")).toHaveText("0");
  await expect(overview.task(id), "the message outlives a refresh").toBeVisible();
  expect(await store.read(id)).toEqual(before);
  expect(await store.attempts(id)).toEqual([]);

  await page.getByRole("button", { name: `Dismiss the message on task ${id}` }).click();
  await expect(overview.task(id)).toHaveCount(0);
});

test("says so when the task has left the table", async ({ page, store }) => {
  const id = await store.insert({ status: "failed" });
  const overview = new OverviewPage(page);
  await page.goto("/");
  await pauseRefresh(page);
  await overview.resetButton(id).click();
  await store.run(`DELETE FROM t_retry_task WHERE id = ${id}`);
  await overview.confirmButton.click();
  await expect(overview.messages).toContainText(`Task ${id} was not reset: it is no longer in the table.`);
});

test("C4: makes one reset of two quick presses", async ({ page, store }) => {
  const id = await store.insert({ status: "failed", retryCount: 3 });
  const overview = new OverviewPage(page);
  let requests = 0;
  await page.route("**/reset", async (route) => {
    requests++;
    await route.continue();
  });
  await page.goto("/");
  await overview.resetButton(id).dblclick();
  await overview.confirmButton.dblclick();
  await expect(overview.messages).toContainText(`Task ${id} was reset.`);
  await expect(overview.task(id)).toHaveCount(0);
  expect(requests).toBe(1);
  expect((await store.attempts(id)).filter(({ kind }) => kind === "reset")).toHaveLength(1);
});

test("C4: lets one of two people win and tells the other", async ({ page, context, store }) => {
  const id = await store.insert({ status: "failed", retryCount: 3 });
  const second = new OverviewPage(await context.newPage());
  const first = new OverviewPage(page);
  for (const overview of [first, second]) {
    await overview.page.goto("/");
    await overview.resetButton(id).click();
  }
  await Promise.all([first.confirmButton.click(), second.confirmButton.click()]);
  for (const overview of [first, second]) await expect(overview.messages).toContainText(`Task ${id} was`);
  const texts = await Promise.all([first, second].map((overview) => overview.messages.innerText()));
  expect(texts.filter((text) => text.includes("was reset."))).toHaveLength(1);
  expect(texts.filter((text) => text.includes("It is now: Pending."))).toHaveLength(1);
  expect(await store.attempts(id)).toHaveLength(1);
});

test("says that the row is being reset at once, and refuses a second press meanwhile", async ({ page, store }) => {
  const id = await store.insert({ status: "failed" });
  const overview = new OverviewPage(page);
  let letThrough = () => {};
  const held = new Promise<void>((resolve) => (letThrough = resolve));
  await page.route("**/reset", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("/");
  await overview.resetButton(id).click();
  await overview.confirmButton.click();
  const waiting = overview.task(id).getByRole("button", { name: "Resetting…" });
  await waiting.click({ force: true });
  await expect(overview.dialog).toHaveCount(0);
  letThrough();
  await expect(overview.task(id)).toHaveCount(0);
});

test("resets by keyboard alone and leaves the focus in the list", async ({ page, store }) => {
  const due = Date.UTC(2026, 8, 24);
  const id = await store.insert({ status: "failed", nextRetryTime: new Date(due) });
  const below = await store.insert({ status: "failed", nextRetryTime: new Date(due - 1_000) });
  const overview = new OverviewPage(page);
  await page.goto("/");
  await expect(overview.resetButton(id)).toBeVisible();
  for (let presses = 0; presses < 100; presses++) {
    await page.keyboard.press("Tab");
    if (await overview.resetButton(id).evaluate((button) => button === document.activeElement)) break;
  }
  await expect(overview.resetButton(id)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(overview.dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(overview.dialog).toHaveCount(0);
  await expect(overview.resetButton(id)).toBeFocused();
  expect(await store.read(id)).toMatchObject({ status: "failed" });

  await page.keyboard.press("Enter");
  await page.keyboard.type("by keyboard");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(overview.confirmButton).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(overview.task(id)).toHaveCount(0);
  await expect(overview.resetButton(below)).toBeFocused();
  expect(await store.attempts(id)).toMatchObject([{ kind: "reset", detail: "by keyboard" }]);
});

test("keeps every digit of a 19-digit id and touches no neighbour", async ({ page, store }) => {
  const neighbours = ["1970670598291982289", "1970670598291982291"];
  for (const id of [LONG_ID, ...neighbours]) await store.insert({ id, status: "failed", retryCount: 3 });
  const overview = new OverviewPage(page);
  await page.goto("/");
  for (const id of [LONG_ID, ...neighbours]) await expect(overview.task(id)).toBeVisible();
  await overview.resetButton(LONG_ID).click();
  await expect(overview.dialog.getByText(LONG_ID, { exact: true })).toBeVisible();
  await overview.confirmButton.click();
  await expect(overview.messages).toContainText(`Task ${LONG_ID} was reset.`);
  expect(await store.read(LONG_ID)).toMatchObject({ status: "pending" });
  for (const id of neighbours) expect(await store.read(id)).toMatchObject({ status: "failed", retryCount: 3 });
});

test("CONSOLE 3.4: offers the way back until a worker has claimed the task", async ({ page, store }) => {
  const [id, claimed] = [
    await store.insert({ status: "failed", retryCount: 3 }),
    await store.insert({ status: "failed" }),
  ];
  const before = await store.read(id);
  const overview = new OverviewPage(page);
  await page.goto("/");
  await overview.resetButton(id).click();
  await overview.confirmButton.click();
  await expect(overview.task(id)).toHaveCount(0);
  await overview.messages.getByRole("button", { name: "Undo" }).click();
  await expect(overview.messages).toContainText(`The reset of task ${id} was undone.`);
  await expect(overview.task(id)).toBeVisible();
  expect(await store.read(id)).toMatchObject({ status: "failed", retryCount: 3, finishReason: before?.finishReason });

  await overview.resetButton(claimed).click();
  await overview.confirmButton.click();
  await expect(overview.task(claimed)).toHaveCount(0);
  await store.claim(claimed);
  await overview.messages.getByRole("button", { name: "Undo" }).last().click();
  await expect(overview.messages).toContainText(`The reset of task ${claimed} was not undone.`);
});
