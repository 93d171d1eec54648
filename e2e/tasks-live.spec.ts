import { expect, test } from "./support/fixtures.ts";
import { pressUntil } from "./support/press-until.ts";
import { TasksPage } from "./support/tasks-page.ts";

test("CONSOLE 9: five refreshes with state changes leave selection and scroll; an open menu lets nothing move", async ({
  page,
  store,
}) => {
  const ids: string[] = [];
  for (let n = 0; n < 60; n++) ids.push(await store.insert({ bizKey: `key-${n}`, status: "failed" }));
  const tasks = new TasksPage(page);
  await page.clock.install();
  await page.goto("/tasks");
  await expect(tasks.rows).toHaveCount(50);
  const chosen = [ids[20], ids[19], ids[18]].map(String);
  for (const id of chosen) await tasks.row(id).getByRole("checkbox").click();
  await expect(page.getByText("Paused while you act")).toBeVisible();
  const order = await tasks.keys();
  const frame = page.locator(".table-frame");
  const scroll = await frame.evaluate(({ scrollTop }) => scrollTop);
  expect(scroll).toBeGreaterThan(0);
  await expect(page.getByRole("columnheader", { name: "Biz key" }), "the headings stay").toBeInViewport();
  const element = await tasks.row(chosen[0] ?? "").elementHandle();
  for (const status of ["3", "0", "1", "4", "3"]) {
    await store.run("UPDATE t_retry_task SET status = ?, owner = 'w-1' WHERE id = ?", [status, chosen[0] ?? ""]);
    await page.evaluate(() => document.querySelector<HTMLElement>('button[aria-label="Refresh now"]')?.click());
    const word = { "0": "Pending", "1": "Succeeded", "3": "Running", "4": "Cancelled" }[status] ?? "";
    await expect(tasks.row(chosen[0] ?? "")).toContainText(word);
  }
  expect(await tasks.keys()).toEqual(order);
  expect(await frame.evaluate(({ scrollTop }) => scrollTop)).toBe(scroll);
  expect(await element?.evaluate((row) => row.isConnected), "the row was not made anew").toBe(true);
  for (const id of chosen) await expect(tasks.row(id).getByRole("checkbox")).toBeChecked();
  await expect(page.getByText("3 selected")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText("3 selected")).toHaveCount(0);

  const other = ids[25] ?? "";
  await tasks
    .row(other)
    .getByRole("button", { name: /^Actions on/ })
    .click();
  await expect(page.getByRole("menu")).toBeVisible();
  await expect(page.getByText("Paused while you act")).toBeVisible();
  await store.claim(other);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.clock.fastForward(120_000);
  await expect(page.getByRole("menu")).toBeVisible();
  await expect(tasks.row(other)).toContainText("Failed for good");
  expect(asked.filter((url) => url.includes("/api/v1/tasks"))).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(tasks.row(other)).toContainText("Running");
});

test("keeps a row that has left the list in place and says what it is now, until the next page is asked for", async ({
  page,
  store,
}) => {
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push(await store.insert({ bizKey: `key-${n}`, status: "failed" }));
  const [first = "", second = ""] = ids;
  const tasks = new TasksPage(page);
  await page.goto("/tasks?state=failed");
  await expect(tasks.rows).toHaveCount(3);
  const order = await tasks.keys();
  await store.run("UPDATE t_retry_task SET status = 1 WHERE id = ?", [first]);
  await store.run("DELETE FROM t_retry_task WHERE id = ?", [second]);
  await expect(tasks.row(first)).toContainText(/now\s*Succeeded/);
  await expect(tasks.row(second)).toContainText(/now\s*Gone/);
  expect(await tasks.keys()).toEqual(order);
  // What can still be done with it is not dimmed with what it was.
  const opacityOf = (cell: string) =>
    tasks
      .row(first)
      .locator(`[data-cell="${cell}"]`)
      .evaluate((td) => getComputedStyle(td).opacity);
  expect([await opacityOf("bizKey"), await opacityOf("action"), await opacityOf("state")]).toEqual(["0.55", "1", "1"]);
  // Where the machine is busy, a count that took long is kept for up to 20 s.
  await expect(tasks.tab("Failed for good")).toContainText("1", { timeout: 60_000 });
  await tasks.refresh();
  await expect(tasks.rows).toHaveCount(1);
});

test("offers newer tasks instead of moving the rows", async ({ page, store }) => {
  await store.insert({ bizKey: "old" });
  const tasks = new TasksPage(page);
  await page.goto("/tasks");
  await expect(tasks.rows).toHaveCount(1);
  for (let n = 0; n < 2; n++) await store.insert({ bizKey: `new-${n}` });
  const pill = page.getByRole("button", { name: "2 new" });
  await expect(pill).toBeVisible({ timeout: 30_000 });
  await expect(tasks.rows).toHaveCount(1);
  await pill.click();
  await expect.poll(() => tasks.keys()).toEqual(["new-1", "new-0", "old"]);
  await expect(pill).toHaveCount(0);
});

test("CONSOLE 9: shows the rows when the counts fail", async ({ page, store }) => {
  await store.insert({ bizKey: "here" });
  await page.route("**/api/v1/tasks/counts*", (route) => route.abort());
  const tasks = new TasksPage(page);
  await page.goto("/tasks");
  await expect.poll(() => tasks.keys()).toEqual(["here"]);
  await expect(tasks.tab("All")).toHaveText("All");
});

test("CONSOLE 9: a statement that takes too long gives the amber card, which keeps the filters usable", async ({
  page,
  store,
}) => {
  await store.insert({ bizKey: "here" });
  const tasks = new TasksPage(page);
  const unlock = await store.lockTasks();
  try {
    await page.goto("/tasks");
    await expect(tasks.list.getByRole("alert")).toContainText("The database took too long to answer.");
    await expect(tasks.list.getByRole("alert")).toContainText("database_timeout");
    await expect(page.getByRole("searchbox", { name: "Search tasks" })).toBeEnabled();
  } finally {
    await unlock();
  }
  await pressUntil(page.getByRole("button", { name: "Try again" }), tasks.rows.first());
  await expect.poll(() => tasks.keys()).toEqual(["here"]);
});

test("keeps the rows while the database is away, and says how old they are", async ({ page, store, gate }) => {
  const id = await store.insert({ status: "failed" });
  const tasks = new TasksPage(page);
  await page.goto("/tasks?state=failed");
  await expect(tasks.row(id)).toBeVisible();
  await gate.close();
  await expect(page.getByText(/^Last updated \d\d:\d\d:\d\d\. Refresh failed/).first()).toBeVisible({
    timeout: 30_000,
  });
  await expect(tasks.row(id)).toBeVisible();
  await gate.open();
});
