import { AxeBuilder } from "@axe-core/playwright";
import { chooseFromMenu, openMenu } from "./support/choose-from-menu.ts";
import { expectToFit } from "./support/expect-to-fit.ts";
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
  // The times first: they go on.
  await expect(tasks.row(due)).toContainText("overdue 3m");
  await expect(tasks.row(scheduled)).toContainText("due in 3h");
  await expect(tasks.row(retrying)).toContainText("3 of 8 attempts failed");
  await expect(tasks.row(running)).toContainText(/running \d+s/);
  await expect(tasks.row(stuck)).toContainText("Stuck");
  await expect(tasks.row(failed)).toContainText("failed 2h ago");
  await expect(tasks.row(failed)).toContainText("HTTP 500");
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

test("says of the event types in the filter that they are being read, or could not be", async ({ page, store }) => {
  await store.registerType("PAY_ORDER");
  await page.goto("/tasks");
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const types = "**/api/v1/event-types";
  await page.route(types, async (route) => {
    await held;
    await route.abort();
  });
  const filter = page.getByRole("dialog", { name: "Filter" });
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(filter.getByText("Reading the event types…")).toBeVisible();
  answer();
  await expect(filter.getByText("The event types could not be read")).toBeVisible();
  await page.unroute(types);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(filter.getByRole("checkbox", { name: "PAY_ORDER" })).toBeVisible();
});

test("keeps the whole filter within a small window", async ({ page, store }) => {
  await store.registerType("PAY_ORDER");
  await page.setViewportSize({ width: 375, height: 560 });
  await page.goto("/tasks");
  await page.getByRole("button", { name: "Filter" }).click();
  const filter = page.getByRole("dialog", { name: "Filter" });
  await expect(filter.getByRole("checkbox", { name: "PAY_ORDER" })).toBeVisible();
  await expect(async () => {
    const box = await filter.boundingBox();
    expect((box?.y ?? -1) >= 0 && (box?.y ?? 0) + (box?.height ?? 0) <= 560, JSON.stringify(box)).toBe(true);
  }).toPass({ timeout: 30_000 });
  await filter.getByRole("checkbox", { name: "PAY_ORDER" }).check();
  await filter.getByRole("button", { name: "Apply" }).click();
  await expect(page).toHaveURL(/eventType=PAY_ORDER/);
});

test("keeps views under a name, shows them again and removes them", async ({ page, store }) => {
  await store.insert({ bizKey: "a-1", status: "failed" });
  await store.insert({ bizKey: "b-1" });
  const tasks = new TasksPage(page);
  await page.goto("/tasks?bizKeyPrefix=a-");
  const views = page.getByRole("button", { name: "Views" });
  const menu = (item: string) => chooseFromMenu(page, views, item);
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
  await (await openMenu(page, views, "Remove a view")).hover();
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
  await expectToFit(page);
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
    await expect(page.locator("tr[aria-selected=true]")).toHaveCount(1);
    await check("selection");
    await openMenu(page, page.locator("tr[data-task] button[aria-haspopup=menu]").first(), /^(Reset|重置)…$/);
    await check("row menu");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("menu")).toHaveCount(0);
    const dialog = page.getByRole("dialog");
    await page.getByRole("main").locator("button[aria-haspopup=dialog]").first().click();
    await expect(dialog.getByRole("checkbox", { name: "PAY" })).toBeVisible();
    await check("filters");
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    await page.locator("[data-row-reset]").first().click();
    await expect(dialog.getByRole("textbox")).toBeVisible();
    await check("reset");
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
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
    await expectToFit(page);
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
