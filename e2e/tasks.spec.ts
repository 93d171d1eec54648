import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "./support/fixtures.ts";
import { TasksPage } from "./support/tasks-page.ts";
import { LOOKS } from "./support/looks.ts";

const HOSTILE = [
  "<img src=x onerror=alert(1)>",
  "</script><script>alert(2)</script>",
  "javascript:alert(3)",
  "{{7*7}}${7*7}`\"'",
  "\u202Egnp.exe\u0000\u001B[31m",
];

test("shows every state under its tab, with what its time means", async ({ page, store, problems }) => {
  const now = Date.now();
  const due = await store.insert({ bizKey: "due", dueInMs: -180_000 });
  const scheduled = await store.insert({ bizKey: "scheduled", dueInMs: 3_600_000 * 3 + 60_000 });
  const retrying = await store.insert({ bizKey: "retrying", dueInMs: 3_600_000, retryCount: 3, maxRetryCount: 8 });
  const running = await store.insert({
    bizKey: "running",
    status: "running",
    owner: "w-1",
    startedTime: new Date(now),
  });
  await store.registerWorker("w-2");
  await store.stopWorker("w-2");
  const stuck = await store.insert({ bizKey: "stuck", status: "running", owner: "w-2", startedTime: new Date(now) });
  const failed = await store.insert({
    ...{ bizKey: "failed", status: "failed", retryCount: 8, maxRetryCount: 8, lastError: "HTTP 500\n at stack" },
    finishedTime: new Date(now - 7_300_000),
  });
  await store.insert({ bizKey: "succeeded", status: "succeeded", finishedTime: new Date(now) });
  const tasks = new TasksPage(page);
  await page.goto("/tasks");

  await expect(tasks.rows).toHaveCount(7);
  for (const [name, count] of [
    ["All", "7"],
    ["Due", "1"],
    ["Scheduled", "2"],
    ["Running", "2"],
    ["Retrying", "1"],
    ["Failed for good", "1"],
    ["Stuck", "1"],
    ["Succeeded", "1"],
    ["Cancelled", "0"],
  ] as const) {
    await expect(tasks.tab(name)).toContainText(count);
  }
  await expect(tasks.row(due)).toContainText("overdue 3m");
  await expect(tasks.row(scheduled)).toContainText("due in 3h");
  await expect(tasks.row(retrying)).toContainText("3 of 8 attempts failed");
  await expect(tasks.row(running)).toContainText(/running \d+s/);
  await expect(tasks.row(stuck)).toContainText("Stuck");
  await expect(tasks.row(failed)).toContainText("failed 2h ago");
  await expect(tasks.row(failed)).toContainText("HTTP 500");

  for (const [name, keys] of [
    ["Due", ["due"]],
    ["Scheduled", ["retrying", "scheduled"]],
    ["Stuck", ["stuck"]],
    ["Failed for good", ["failed"]],
  ] as const) {
    await tasks.tab(name).click();
    await expect.poll(() => tasks.keys()).toEqual(keys);
  }
  await expect(page).toHaveURL(/\/tasks\?state=failed$/);
  await page.goBack();
  await expect.poll(() => tasks.keys()).toEqual(["stuck"]);
  expect(problems).toEqual([]);
});

test("understands what people have at hand in one box, and takes filters off again", async ({ page, store }) => {
  await store.registerType("PAY");
  const id = await store.insert({
    eventType: "PAY",
    bizKey: "order-1",
    errorFingerprint: "0123456789abcdef",
    owner: "w-1",
  });
  await store.insert({ eventType: "PAY", bizKey: "order-2", status: "failed", lastError: "time out" });
  await store.insert({ eventType: "SMS", bizKey: `${id}000` });
  const tasks = new TasksPage(page);
  await page.goto("/tasks");
  for (const [text, keys] of [
    [id, ["order-1"]],
    ["order-", ["order-1", "order-2"]],
    ["biz:order-2", ["order-2"]],
    ["type:SMS", [`${id}000`]],
    ["err:0123456789abcdef", ["order-1"]],
    ['err:"time out"', ["order-2"]],
    ["worker:w-1", ["order-1"]],
    ["type:PAY order-2", ["order-2"]],
  ] as const) {
    await tasks.search(text);
    await expect.poll(async () => (await tasks.keys()).sort(), text).toEqual(keys);
    await page.goBack();
    await expect(tasks.rows).toHaveCount(3);
  }
  await tasks.search("type:PAY");
  await tasks.search("biz:nothing");
  await expect(page.getByText("No task matches the filters")).toBeVisible();
  await page.getByRole("button", { name: "Remove the filter Biz key" }).click();
  await expect(tasks.rows).toHaveCount(2);
  await tasks.search("999999999");
  await page.getByRole("button", { name: "Clear all filters" }).click();
  await expect(tasks.rows).toHaveCount(3);

  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("checkbox", { name: "PAY" }).check();
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(tasks.rows).toHaveCount(2);
  await expect(page).toHaveURL(/eventType=PAY/);
});

test("says that all is well when no task waits for a person", async ({ page }) => {
  const tasks = new TasksPage(page);
  await page.goto("/tasks?state=failed");
  await expect(page.getByText("No task waits for a person")).toBeVisible();
  await page.goto("/tasks");
  await expect(page.getByText("There is no task yet")).toBeVisible();
  await page.goto("/tasks?state=due&cursor=nonsense");
  await expect(tasks.list.getByRole("alert")).toContainText("invalid_input");
});

test("CONSOLE 9: five refreshes with state changes leave selection and scroll; an open menu lets nothing move", async ({
  page,
  store,
}) => {
  const ids: string[] = [];
  for (let n = 0; n < 60; n++) ids.push(await store.insert({ bizKey: `key-${n}`, status: "failed" }));
  const tasks = new TasksPage(page);
  await page.goto("/tasks");
  await expect(tasks.rows).toHaveCount(50);
  const chosen = [ids[20], ids[19], ids[18]].map(String);
  for (const id of chosen) await tasks.row(id).getByRole("checkbox").click();
  await expect(page.getByText("Paused while you act")).toBeVisible();
  const order = await tasks.keys();
  const scroll = await page.evaluate(() => window.scrollY);
  expect(scroll).toBeGreaterThan(0);
  const element = await tasks.row(chosen[0] ?? "").elementHandle();
  for (const status of ["3", "0", "1", "4", "3"]) {
    await store.run("UPDATE t_retry_task SET status = ?, owner = 'w-1' WHERE id = ?", [status, chosen[0] ?? ""]);
    const answer = page.waitForResponse((response) => response.url().includes("/api/v1/tasks/rows"));
    await page.evaluate(() => document.querySelector<HTMLElement>('button[aria-label="Refresh now"]')?.click());
    await answer;
    const word = { "0": "Pending", "1": "Succeeded", "3": "Running", "4": "Cancelled" }[status] ?? "";
    await expect(tasks.row(chosen[0] ?? "")).toContainText(word);
  }
  expect(await tasks.keys()).toEqual(order);
  expect(await page.evaluate(() => window.scrollY)).toBe(scroll);
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
  await expect(tasks.row(other)).toContainText("Failed for good");
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
  await expect(tasks.tab("Failed for good")).toContainText("1");
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

test("CONSOLE 3: a page that is found part by part grows, says how far it came, and stops for a person's word", async ({
  page,
  store,
}) => {
  for (let n = 0; n < 5; n++) await store.insert({ bizKey: `retry-${n}`, dueInMs: 60_000 * (n + 1), retryCount: 1 });
  const asked: string[] = [];
  let goOn = () => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  // An answer whose time was used up after two rows; the next one is held until the page was looked at.
  await page.route(/\/api\/v1\/tasks\?/, async (route) => {
    const url = new URL(route.request().url());
    asked.push(url.search);
    if (url.searchParams.has("cursor")) {
      await held;
      return route.continue();
    }
    url.searchParams.set("limit", "2");
    const answer = await route.fetch({ url: url.toString() });
    const whole = (await answer.json()) as object;
    return route.fulfill({ response: answer, json: { ...whole, exhausted: false, searchOn: "next", scanned: 2_100 } });
  });
  const tasks = new TasksPage(page);
  await page.goto("/tasks?state=retrying");
  await expect(page.getByText("looked at 2,100 rows so far, still looking")).toBeVisible();
  await expect.poll(() => tasks.keys()).toEqual(["retry-0", "retry-1"]);
  await expect(page.getByRole("button", { name: "Search on" })).toBeDisabled();
  goOn();
  await expect.poll(() => tasks.keys()).toEqual(["retry-0", "retry-1", "retry-2", "retry-3", "retry-4"]);
  await expect(page.getByText("so far")).toHaveCount(0);
  expect(asked.some((search) => search.includes("limit=48"))).toBe(true);

  // Nothing among as many rows as a page looks at: no word of "no task", and the way on.
  await page.route(/\/api\/v1\/tasks\?.*errorText/, async (route) => {
    const url = new URL(route.request().url());
    if (url.searchParams.has("cursor")) return route.continue();
    url.searchParams.delete("errorText");
    url.searchParams.set("limit", "1");
    const answer = await route.fetch({ url: url.toString() });
    const one = (await answer.json()) as object;
    const nothing = { items: [], exhausted: false, searchOn: "next", scanned: 8_000, nextCursor: "none" };
    return route.fulfill({ response: answer, json: { ...one, ...nothing } });
  });
  await page.goto("/tasks?state=failed&errorText=oops");
  await expect(page.getByText("Nothing found so far")).toBeVisible();
  await expect(page.getByText("8,000 rows were looked at, and none of them is of this list.")).toBeVisible();
  await expect(page.getByText("No task matches the filters")).toHaveCount(0);
  await page.getByRole("button", { name: "Search on" }).first().click();
  await expect(page).toHaveURL(/cursor=none/);
});

test("CONSOLE 9: an address with filters, order, columns and page shows the same view elsewhere", async ({
  page,
  context,
  store,
}) => {
  for (let n = 0; n < 120; n++)
    await store.insert({ eventType: n % 2 ? "PAY" : "SMS", bizKey: `key-${n}`, status: "failed" });
  const tasks = new TasksPage(page);
  await page.goto("/tasks?state=failed&eventType=PAY&columns=bizKey,recycled");
  await page.getByRole("combobox", { name: "Order" }).selectOption({ label: "Oldest failure first" });
  await expect(page).toHaveURL(/sort=due\.asc/);
  await expect(tasks.rows).toHaveCount(50);
  await page.getByRole("button", { name: "Next" }).click();
  await expect(tasks.rows).toHaveCount(10);
  const keys = await tasks.keys();
  const elsewhere = new TasksPage(await context.newPage());
  await elsewhere.page.goto(page.url());
  await expect(elsewhere.rows).toHaveCount(10);
  expect(await elsewhere.keys()).toEqual(keys);
  await expect(elsewhere.page.getByRole("columnheader", { name: "Recycled" })).toBeVisible();
  await expect(elsewhere.page.getByRole("columnheader", { name: "Worker" })).toHaveCount(0);
  await elsewhere.page.getByRole("button", { name: "Remove the filter Event type" }).click();
  await expect(elsewhere.page, "another filter begins at its first page").not.toHaveURL(/cursor=/);
  await elsewhere.page.close();
});

test("C2: pages forwards and back show each row once, and so does the export", async ({ page, request, store }) => {
  const values = Array.from(
    { length: 320 },
    (_, n) =>
      `('T${n % 3}', 'key-${String(n).padStart(3, "0")}', '{}', ${n % 2 ? 2 : 0}, 3, 'FIXED', 10, '2026-01-01 00:00:00')`,
  );
  await store.run(
    `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval, next_retry_time) VALUES ${values.join(",")}`,
  );
  const expected = Array.from({ length: 160 }, (_, n) => `key-${String(2 * n + 1).padStart(3, "0")}`);
  const tasks = new TasksPage(page);
  await page.goto("/tasks?state=failed");
  const forwards: string[] = [];
  for (const rows of [50, 50, 50, 10]) {
    await expect(tasks.rows).toHaveCount(rows);
    await expect.poll(async () => forwards.includes((await tasks.keys())[0] ?? "")).toBe(false);
    forwards.push(...(await tasks.keys()));
    await store.insert({ eventType: "T0", bizKey: `later-${rows}-${forwards.length}`, status: "failed" });
    if (rows === 50) await page.getByRole("button", { name: "Next" }).click();
  }
  expect([...forwards].sort()).toEqual(expected);
  await page.getByRole("button", { name: "Previous" }).click();
  await expect.poll(() => tasks.keys()).toEqual(forwards.slice(100, 150));
  await page.reload();
  await expect.poll(() => tasks.keys()).toEqual(forwards.slice(100, 150));

  const file = await (await request.get("/api/v1/tasks.csv?state=failed&bizKeyPrefix=key-")).text();
  const lines = file.trim().split("\r\n").slice(1);
  expect(lines.map((line) => line.split(",")[2]).sort()).toEqual(expected);
});

test("CONSOLE 9: writes hostile cells so that no spreadsheet runs them", async ({ request, store }) => {
  await store.insert({
    bizKey: "=cmd|' /C calc'!A0",
    status: "failed",
    lastError: '@SUM(1)\n"quoted", and more',
    maxRetryCount: 8,
  });
  const answer = await request.get("/api/v1/tasks.csv?state=failed");
  expect(answer.headers()["content-type"]).toContain("text/csv");
  expect(answer.headers()["content-disposition"]).toContain("attachment");
  const text = await answer.text();
  expect(text).toContain(`,'=cmd|' /C calc'!A0,failed,`);
  expect(text).toContain(`"'@SUM(1)\n""quoted"", and more"`);
  expect(text).not.toContain("bizContext");
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
  await page.getByRole("button", { name: "Try again" }).click();
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

test("C4: resets one task; another that runs by now is left alone and shows its state", async ({ page, store }) => {
  const good = await store.insert({ bizKey: "good", status: "failed", retryCount: 3 });
  const late = await store.insert({ bizKey: "late", status: "failed", retryCount: 3 });
  const tasks = new TasksPage(page);
  await page.goto("/tasks?state=failed");
  await page.getByRole("button", { name: `Reset task ${good}, biz key good` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Reset 1 task" }).click();
  await expect(tasks.row(good)).toContainText(/now\s*Pending/);
  expect(await store.read(good)).toMatchObject({ status: "pending", retryCount: 0 });

  await tasks.row(late).getByRole("checkbox").click();
  await page.getByRole("button", { name: "Reset 1 task…" }).click();
  await store.claim(late);
  await page.getByRole("dialog").getByRole("button", { name: "Reset 1 task" }).click();
  await expect(page.getByRole("region", { name: "Messages" })).toContainText("It is now: Running.");
  await expect(tasks.row(late)).toContainText(/now\s*Running/);
  expect(await store.read(late)).toMatchObject({ status: "running", retryCount: 3 });
});

test("CONSOLE 3.4: takes a reset of the list back, until a worker has claimed the task", async ({ page, store }) => {
  const [back, claimed] = [
    await store.insert({ status: "failed", retryCount: 3 }),
    await store.insert({ status: "failed", retryCount: 3 }),
  ];
  const tasks = new TasksPage(page);
  const messages = page.getByRole("region", { name: "Messages" }).getByRole("status");
  await page.goto("/tasks");
  const reset = async (id: string) => {
    await tasks
      .row(id)
      .getByRole("button", { name: new RegExp(`^Reset task ${id}`) })
      .click();
    await page.getByRole("dialog").getByRole("button", { name: "Reset 1 task" }).click();
    await expect(messages).toContainText(`Task ${id} was reset.`);
    await expect(tasks.row(id)).toContainText("Pending");
  };
  await reset(back);
  await messages.getByRole("button", { name: "Undo" }).click();
  await expect(messages).toContainText(`The reset of task ${back} was undone.`);
  await expect(tasks.row(back)).toContainText("Failed");
  expect(await store.read(back)).toMatchObject({ status: "failed", retryCount: 3 });

  await reset(claimed);
  await store.claim(claimed);
  await messages.getByRole("button", { name: "Undo" }).click();
  await expect(messages).toContainText(`The reset of task ${claimed} was not undone.`);
  await expect(tasks.row(claimed)).toContainText("Running");
  expect(await store.read(claimed)).toMatchObject({ status: "running", retryCount: 0 });
});

test("works by keyboard alone: move, select a range, reset, open", async ({ page, store }) => {
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) ids.push(await store.insert({ bizKey: `key-${n}`, status: "failed" }));
  const [d = "", c = "", b = "", a = ""] = ids;
  const tasks = new TasksPage(page);
  await page.goto("/tasks");
  await expect(tasks.rows).toHaveCount(4);
  await page.keyboard.press("j");
  await expect(tasks.link(a)).toBeFocused();
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await expect(tasks.link(c)).toBeFocused();
  await page.keyboard.press("Shift+X");
  await expect(page.getByText("3 selected")).toBeVisible();
  await expect(tasks.row(b)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Escape");
  await expect(page.getByText("3 selected")).toHaveCount(0);
  await page.keyboard.press("p");
  await expect(page.getByRole("button", { name: /^Resume/ })).toBeVisible();
  await page.keyboard.press("p");
  await page.keyboard.press("j");
  await expect(tasks.link(d)).toBeFocused();
  await page.keyboard.press("k");
  await page.keyboard.press("r");
  await page.keyboard.type("by keyboard: jkxr");
  await page.keyboard.press("Control+Enter");
  await expect(tasks.row(c)).toContainText("Pending");
  await expect(tasks.link(c)).toBeFocused();
  expect(await store.attempts(c)).toMatchObject([{ kind: "reset", detail: "by keyboard: jkxr" }]);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/tasks\\?task=${c}$`));
  await expect(tasks.drawer(c)).toBeFocused();
});

test("CONSOLE 3.3: opens a task beside the list, goes to its neighbours, and gives the focus back to its row", async ({
  page,
  store,
  problems,
}) => {
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) {
    ids.push(await store.insert({ bizKey: `key-${n}`, status: "failed", retryCount: 3, lastError: HOSTILE[0] ?? "" }));
  }
  const [c = "", b = "", a = ""] = ids;
  const tasks = new TasksPage(page);
  await page.goto("/tasks?state=failed");
  await expect(tasks.rows).toHaveCount(3);
  await tasks.link(a).click();
  await expect(tasks.drawer(a)).toBeFocused();
  await expect(tasks.drawer(a).getByRole("heading", { level: 1 })).toContainText("key-2");
  await expect(tasks.row(a)).toHaveAttribute("aria-current", "true");
  await expect(page).toHaveURL(new RegExp(`/tasks\\?state=failed&task=${a}$`));
  await expect(tasks.drawer(a).getByRole("button", { name: "Previous task" })).toBeDisabled();
  await page.keyboard.press("j");
  await expect(tasks.drawer(b)).toBeVisible();
  await page.keyboard.press("j");
  await expect(tasks.drawer(c).getByRole("heading", { level: 1 })).toContainText("key-0");
  await expect(tasks.drawer(c).getByRole("button", { name: "Next task" })).toBeDisabled();
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await expect(tasks.drawer(b).getByRole("heading", { level: 1 })).toContainText("key-1");

  // A reset within: the row of the list stays where it is and says what it is now.
  await page.keyboard.press("r");
  await page.getByRole("dialog").getByRole("textbox").fill("beside the list");
  await page.keyboard.press("Control+Enter");
  await expect(tasks.row(b)).toContainText("Pending");
  await expect(tasks.rows).toHaveCount(3);
  expect(await store.attempts(b)).toMatchObject([{ kind: "reset", detail: "beside the list" }]);

  // The address is the whole view, and one step back leads to the list alone.
  const address = page.url();
  await page.goto(address);
  await expect(tasks.drawer(b)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/\/tasks\?state=failed$/);
  await expect(page.locator(".task-drawer")).toHaveCount(0);
  await tasks.link(c).click();
  await expect(tasks.drawer(c)).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(tasks.link(c)).toBeFocused();

  await page.setViewportSize({ width: 390, height: 800 });
  await tasks.link(c).click();
  await expect(page).toHaveURL(new RegExp(`/tasks/${c}$`));
  expect(problems).toEqual([]);
});

test("makes room for the open task where the window is wide, and is covered where it is not", async ({
  page,
  store,
}) => {
  const id = await store.insert({ bizKey: "key", status: "failed" });
  const tasks = new TasksPage(page);
  for (const [width, isCovered] of [
    [1_680, false],
    [1_280, true],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/tasks?task=${id}`);
    const [drawer, list] = [await tasks.drawer(id).boundingBox(), await tasks.list.boundingBox()];
    expect(drawer?.width).toBe(640);
    expect((list?.x ?? 0) + (list?.width ?? 0) > (drawer?.x ?? 0)).toBe(isCovered);
  }
});

test("has the chosen state and what can be done with the selection in reach on a phone", async ({ page, store }) => {
  for (const bizKey of ["a", "b"]) await store.insert({ bizKey, status: "failed" });
  const tasks = new TasksPage(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/tasks?state=failed");
  await expect(tasks.rows).toHaveCount(2);
  await expect(tasks.tab("Failed for good")).toBeInViewport({ ratio: 0.9 });
  for (const name of ["Select a", "Select b"]) await page.getByRole("checkbox", { name, exact: true }).check();
  await page.getByRole("button", { name: "Reset 2 tasks…" }).click();
  await expect(page.getByRole("dialog", { name: "Reset many tasks" })).toContainText("2 match");
});

test("keeps views under a name, shows them again and removes them", async ({ page, store }) => {
  await store.insert({ bizKey: "a-1", status: "failed" });
  await store.insert({ bizKey: "b-1" });
  const tasks = new TasksPage(page);
  await page.goto("/tasks?bizKeyPrefix=a-");
  const menu = async (item: string) => {
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  await menu("Save this view…");
  await page.getByLabel("Name").fill("<b>mine</b>");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByRole("region", { name: "Messages" })).toContainText("The view is saved.");
  await menu("Overdue > 5 min");
  await expect(page).toHaveURL(/\/tasks\?state=due&overdueSeconds=300$/);
  await menu("<b>mine</b>");
  await expect(page).toHaveURL(/\/tasks\?bizKeyPrefix=a-$/);
  await expect.poll(() => tasks.keys()).toEqual(["a-1"]);
  await menu("Needs a human");
  await expect.poll(() => tasks.keys()).toEqual(["a-1"]);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name: "Remove a view" }).hover();
  await expect(page.getByRole("menu")).toHaveCount(2);
  await page.getByRole("menuitem", { name: "<b>mine</b>" }).last().click();
  await expect(page.getByRole("region", { name: "Messages" })).toContainText("The view is removed.");
});

test("X1: shows hostile texts literally, from the table and from the address", async ({ page, store, problems }) => {
  for (const [n, text] of HOSTILE.entries()) {
    await store.insert({
      ...{
        eventType: text.slice(0, 60),
        bizKey: `${text}${n}`,
        status: "failed",
        lastError: text,
        owner: text.slice(0, 60),
      },
    });
  }
  await store.insert({ bizKey: "w".repeat(128), lastError: "x".repeat(10_000), status: "failed" });
  const tasks = new TasksPage(page);
  await page.goto("/tasks?state=failed");
  await expect(tasks.rows).toHaveCount(6);
  await expect(page.locator("img")).toHaveCount(0);
  await expect(tasks.table).toContainText("<img src=x onerror=alert(1)>");
  await expect(tasks.table).toContainText("‹U+202E›gnp.exe‹U+0000›‹U+001B›[31m");
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  await page
    .getByRole("button", { name: /^Actions on/ })
    .first()
    .click();
  await page.keyboard.press("Escape");
  for (const text of HOSTILE) {
    const words = new URLSearchParams({
      state: text,
      bizKeyPrefix: text,
      worker: text,
      columns: text,
      sort: text,
      limit: text,
    });
    await page.goto(`/tasks?${words.toString()}`);
    await expect(page.getByText("Biz key begins with")).toBeVisible();
  }
  expect(problems.filter((problem) => !/status of 400/.test(problem))).toEqual([]);
});

test("refuses a cursor of another list, and words that it does not know", async ({ request, store }) => {
  for (let n = 0; n < 3; n++) await store.insert({ status: "failed" });
  const page = (await (await request.get("/api/v1/tasks?state=failed&limit=1")).json()) as { nextCursor: string };
  const other = await request.get(`/api/v1/tasks?state=failed&minAttempts=1&cursor=${page.nextCursor}`);
  expect(other.status()).toBe(400);
  expect(await other.json()).toMatchObject({ code: "cursor_of_other_list" });
  for (const query of ["stat=failed", "state=dead", "ids=1;2", "sort=updated.asc", "limit=201", "recycled=1"]) {
    const answer = await request.get(`/api/v1/tasks?${query}`);
    expect([query, answer.status()]).toEqual([query, 400]);
  }
  expect((await request.get("/api/v1/tasks/rows?ids=")).status()).toBe(400);
});

for (const [locale, theme] of LOOKS) {
  test(`CONSOLE 9: no serious fault for assistive technology, ${theme}, ${locale}`, async ({
    page,
    context,
    store,
    baseURL,
  }) => {
    // Eight looks at whole pages.
    test.slow();
    await store.registerType("PAY");
    await store.insert({ eventType: "PAY", bizKey: "a", status: "failed", retryCount: 3, lastError: "boom" });
    await store.insert({
      eventType: "PAY",
      bizKey: "b",
      retryCount: 1,
      dueInMs: -60_000,
      status: "running",
      owner: "nobody",
    });
    await store.insert({ eventType: "PAY", bizKey: "c", status: "succeeded" });
    await context.addCookies([
      { name: "redrive_theme", value: theme, url: baseURL ?? "" },
      { name: "redrive_locale", value: locale, url: baseURL ?? "" },
    ]);
    const check = async (what: string) => {
      const { violations } = await new AxeBuilder({ page }).analyze();
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      expect({ what, serious: serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]) }).toEqual({
        what,
        serious: [],
      });
    };
    await page.goto("/tasks");
    await expect(page.locator("tr[data-task]")).toHaveCount(3);
    await check("rows");
    await page.getByRole("checkbox").nth(1).click();
    await check("selection");
    await page.locator("tr[data-task] button[aria-haspopup=menu]").first().click();
    await check("row menu");
    await page.keyboard.press("Escape");
    await page.locator("button[aria-haspopup=dialog]").first().click();
    await check("filters");
    await page.keyboard.press("Escape");
    await page.locator("[data-row-reset]").first().click();
    await check("reset");
    await page.keyboard.press("Escape");
    await page.locator("[data-row-link]").first().click();
    await expect(page.locator(".task-drawer h1")).toBeVisible();
    await check("task beside the list");
    await page.goto("/tasks?state=failed&bizKey=none&cause=x");
    await expect(page.locator("tr[data-task]")).toHaveCount(0);
    await check("empty");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("/tasks");
    await expect(page.locator("tr[data-task]")).toHaveCount(3);
    await check("phone");
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  });
}

test("finds tasks that were reset, the tasks of a bulk action, and the tasks of an instant", async ({
  page,
  store,
  problems,
}) => {
  const reset = await store.insert({ bizKey: "reset", createTime: new Date("2026-09-01T10:00:00Z") });
  await store.insert({ bizKey: "early", createTime: new Date("2026-09-01T12:00:00Z") });
  await store.insert({ bizKey: "late", createTime: new Date("2026-09-03T12:00:00Z") });
  await store.run(
    "INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, create_time) VALUES (?, 'TEST', 'reset', 0, 1, NOW(3))",
    [reset],
  );
  await store.run(
    "INSERT INTO t_retry_bulk_item (bulk_id, task_id, result, claim_no, create_time) VALUES (7, ?, 'done', 1, NOW(3))",
    [reset],
  );
  const tasks = new TasksPage(page);
  await page.goto("/tasks");
  await expect(tasks.rows).toHaveCount(3);
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("checkbox", { name: "Has been reset" }).check();
  await page.getByRole("button", { name: "Apply" }).click();
  await expect.poll(() => tasks.keys()).toEqual(["reset"]);
  await expect(page).toHaveURL(/wasReset=true/);
  await page.getByRole("button", { name: "Remove the filter Has been reset" }).click();
  await tasks.search("bulk:7");
  await expect.poll(() => tasks.keys()).toEqual(["reset"]);
  await expect(page.getByRole("list", { name: "Filters" })).toContainText("#7");
  await page.getByRole("button", { name: "Remove the filter Bulk action" }).click();
  await expect(tasks.rows).toHaveCount(3);

  await page.getByLabel(/^Go to time/).fill("2026-09-02T00:00");
  await page.getByRole("button", { name: "Go", exact: true }).click();
  await expect.poll(() => tasks.keys()).toEqual(["early", "reset"]);
  await expect(page).toHaveURL(/at=2026-09-01T16/);
  await page.getByRole("button", { name: "Previous" }).click();
  await expect.poll(() => tasks.keys()).toEqual(["late"]);
  await page.goBack();
  await page.getByRole("button", { name: "First page" }).click();
  await expect(tasks.rows).toHaveCount(3);
  expect(problems).toEqual([]);
});

test("CONSOLE 3.2: searches payloads in one type and a day, says what it cost, and shows markup as text", async ({
  page,
  store,
  problems,
}) => {
  for (const eventType of ["PAY", "SMS"]) await store.registerType(eventType);
  const bizContext = JSON.stringify({ note: HOSTILE[0], password: "hidden-9" });
  await store.insert({ eventType: "PAY", bizKey: "holds", bizContext });
  await store.insert({ eventType: "PAY", bizKey: "other" });
  await store.insert({ eventType: "SMS", bizKey: "sms", bizContext });
  const tasks = new TasksPage(page);
  await page.goto("/tasks");
  const open = () => page.getByRole("button", { name: "Filter", exact: true }).click();
  const apply = () => page.getByRole("button", { name: "Apply" }).click();
  const field = page.getByRole("textbox", { name: "Payload contains" });
  await open();
  await field.fill("onerror=alert");
  await apply();
  await expect(page.getByText("Choose exactly one event type to search within payloads.")).toBeVisible();
  await page.getByRole("checkbox", { name: "PAY" }).check();
  await page.getByLabel("Created from").fill("2026-09-01T00:00");
  await page.getByLabel("Created before").fill("2026-09-03T00:00");
  await apply();
  await expect(page.getByText("A search within payloads goes over at most 24 hours.")).toBeVisible();
  await page.getByLabel("Created from").fill("");
  await page.getByLabel("Created before").fill("");
  await apply();
  await expect.poll(() => tasks.keys()).toEqual(["holds"]);
  await expect(page.getByText(/searched \d+ rows in \d+\.\d s/)).toBeVisible();
  // Of the tabs' counts, the file and the actions on everything none knows the search.
  await expect(page.getByRole("link", { name: "CSV" })).toBeHidden();
  await expect(tasks.tab("All")).toHaveText("All");

  await open();
  await field.fill("hidden-9");
  await apply();
  await expect(page.getByText("No task matches the filters")).toBeVisible();
  await page.getByRole("button", { name: "Remove the filter Event type" }).click();
  await expect(tasks.rows).toHaveCount(3);
  await expect(page).not.toHaveURL(/payload/);
  expect(problems).toEqual([]);
});
