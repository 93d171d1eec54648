import { expect, test } from "./support/fixtures.ts";
import { TasksPage } from "./support/tasks-page.ts";

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
  await expect(page).toHaveURL(/cursor=/);
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

test("C2: no page is turned while the rows shown are those of the order before", async ({ page, store, problems }) => {
  for (let n = 0; n < 120; n++) await store.insert({ bizKey: `key-${n}`, status: "failed" });
  const tasks = new TasksPage(page);
  await page.goto("/tasks?state=failed");
  await expect(tasks.rows).toHaveCount(50);
  const next = page.getByRole("button", { name: "Next" });
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/api\/v1\/tasks\?.*sort=/, async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole("combobox", { name: "Order" }).selectOption({ label: "Oldest failure first" });
  await expect(page).toHaveURL(/sort=due\.asc$/);
  await next.focus();
  await page.keyboard.press("Enter");
  await expect(next, "what is pressed too early keeps the focus").toBeFocused();
  answer();
  await expect(next).toBeEnabled();
  await expect(page, "and leads nowhere").toHaveURL(/sort=due\.asc$/);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/cursor=/);
  await expect(tasks.rows).toHaveCount(50);
  expect(problems).toEqual([]);
});

test("C2: another page and another order begin at their first row, however far down the last one was read", async ({
  page,
  store,
}) => {
  for (let n = 0; n < 70; n++) await store.insert({ bizKey: `key-${n}`, status: "failed" });
  const tasks = new TasksPage(page);
  for (const [width, height] of [
    [1280, 720],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto("/tasks?state=failed");
    await expect(tasks.rows).toHaveCount(50);
    await tasks.rows.last().scrollIntoViewIfNeeded();
    await expect(tasks.rows.first(), "the first row is out of view").not.toBeInViewport();
    await page.getByRole("button", { name: "Next" }).click();
    await expect(tasks.rows).toHaveCount(20);
    await expect(tasks.rows.first()).toBeInViewport({ ratio: 0.9 });

    await tasks.rows.last().scrollIntoViewIfNeeded();
    await page.getByRole("combobox", { name: "Order" }).selectOption({ label: "Oldest failure first" });
    await expect(tasks.rows).toHaveCount(50);
    await expect(tasks.rows.first()).toBeInViewport({ ratio: 0.9 });
  }
});

test("says of no list that it is empty, nor searches on in it, before it was read", async ({
  page,
  store,
  problems,
}) => {
  for (let n = 0; n < 3; n++) await store.insert({ bizKey: `key-${n}`, status: "failed" });
  const tasks = new TasksPage(page);
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/api\/v1\/tasks\?state=failed$/, async (route) => {
    await held;
    await route.continue();
  });
  // A list that is empty as far as it was looked at: its cursor leads through it alone.
  await page.route(/\/api\/v1\/tasks\?.*errorText/, async (route) => {
    const whole = (await (await route.fetch()).json()) as object;
    const partly = { exhausted: false, searchOn: "next", nextCursor: "of-this-list", scanned: 8_000 };
    return route.fulfill({ json: { ...whole, ...partly } });
  });
  await page.goto("/tasks?state=failed&errorText=oops");
  await expect(page.getByText("Nothing found so far")).toBeVisible();
  await page.getByRole("button", { name: "Remove the filter Error contains" }).click();
  await expect(page).toHaveURL(/\?state=failed$/);
  await expect(tasks.list, "its rows are on their way").toHaveAttribute("aria-busy", "true");
  await expect(page.getByText("Nothing found so far")).toHaveCount(0);
  await expect(page.getByText("No task waits for a person")).toHaveCount(0);
  await page.getByRole("button", { name: "Search on" }).click({ force: true });
  answer();
  await expect(tasks.rows).toHaveCount(3);
  await expect(page).toHaveURL(/\?state=failed$/);
  expect(problems).toEqual([]);
});

test("keeps the rows where what comes after them cannot be loaded, and loads the page anew on a press", async ({
  page,
  store,
}) => {
  const id = await store.insert({ bizKey: "here", status: "failed" });
  const tasks = new TasksPage(page);
  const html = await (await page.request.get("/tasks?state=failed")).text();
  const isLate = (url: URL) => url.pathname.endsWith(".js") && !html.includes(url.pathname.split("/").at(-1) ?? "");
  const missed: string[] = [];
  await page.route(isLate, (route) => {
    missed.push(route.request().url());
    return route.abort();
  });
  await page.goto("/tasks?state=failed");
  const filter = page.getByRole("button", { name: "Filter", exact: true });
  await expect(filter).toHaveAttribute("title", "Could not be loaded. Press to load the page anew.");
  await expect.poll(() => tasks.keys()).toEqual(["here"]);
  expect(missed).not.toEqual([]);
  // The task itself cannot be shown beside the list; trying again loads what it needs.
  await tasks.link(id).click();
  await expect(page.getByText("This page could not be shown")).toBeVisible();
  await page.unroute(isLate);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(tasks.drawer(id).getByRole("heading", { level: 1 })).toContainText("here");

  await page.route(isLate, (route) => route.abort());
  await page.goto("/tasks?state=failed");
  await expect(filter).toHaveAttribute("title", /^Could not be loaded/);
  await page.unroute(isLate);
  await filter.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Filter", exact: true, expanded: false })).toBeVisible();
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "Filter" })).toBeVisible();
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
    await expect.poll(async () => forwards.includes((await tasks.keys())[0] ?? "")).toBe(false);
    await expect(tasks.rows).toHaveCount(rows);
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
