import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expectToFit } from "./support/expect-to-fit.ts";
import { expect, test } from "./support/fixtures.ts";
import { OverviewPage } from "./support/overview-page.ts";
import { pressUntil } from "./support/press-until.ts";
import { bucketStart, insertMetrics } from "./support/seed-metrics.ts";
import { seedScene } from "./support/seed-scene.ts";
import { LOOKS } from "./support/looks.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const charts = (page: Page) => page.getByRole("region", { name: "Over time", exact: true });
const figure = (page: Page, name: RegExp) => charts(page).getByRole("figure", { name });
const causes = (page: Page) => page.getByRole("region", { name: "Top causes, 24 h" });
const actions = (page: Page) => page.getByRole("region", { name: "Operator actions" });

/** The console keeps answers for five seconds for all who ask: none of an earlier test's may be among them. */
test.beforeEach(async ({ request }) => {
  await request.get("/api/v1/tasks?status=failed&limit=1", { headers: { "X-Refresh": "now" } });
});

/** Minutes that leave room on both sides, so that no minute turns between writing and reading. */
async function awayFromTheTurn(): Promise<number> {
  const left = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (left < 40_000) await new Promise((resolve) => setTimeout(resolve, left + 50));
  return Date.now();
}

test("shows numbers with their change and course, and leads to the tasks they count", async ({ page, store }) => {
  const now = await awayFromTheTurn();
  for (const eventType of ["PAY_ORDER", "SEND_SMS"]) await store.registerType(eventType);
  for (let n = 0; n < 4; n++) await store.insert({ eventType: "PAY_ORDER", dueInMs: -6 * MINUTE_MS });
  await store.insert({ eventType: "PAY_ORDER", status: "failed" });
  const sample = { running: 0, pending: 20, failed: 3 };
  const at = (minutesAgo: number) => bucketStart(now - minutesAgo * MINUTE_MS);
  await insertMetrics(store, [
    { eventType: "PAY_ORDER", source: "cluster", at: at(60), due: 10, oldestDueAgeMs: 2 * MINUTE_MS, ...sample },
    { eventType: "SEND_SMS", source: "cluster", at: at(60), due: 2, oldestDueAgeMs: 1_000, ...sample },
    { eventType: "PAY_ORDER", source: "cluster", at: at(4), due: 44, oldestDueAgeMs: 2 * MINUTE_MS, ...sample },
    { eventType: "PAY_ORDER", source: "cluster", at: at(0), due: 4, oldestDueAgeMs: 6 * MINUTE_MS, ...sample },
    { eventType: "PAY_ORDER", source: "w-1", at: at(1), succeeded: 6, retried: 1, failures: 1 },
    { eventType: "PAY_ORDER", source: "w-2", at: at(1), succeeded: 2 },
    {
      ...{ eventType: "PAY_ORDER", source: "5m", at: bucketStart(now - 24 * HOUR_MS, 5 * MINUTE_MS), due: 4 },
      ...{ oldestDueAgeMs: 0, running: 5, pending: 0, failed: 0 },
    },
  ]);
  const overview = new OverviewPage(page);
  await page.goto("/");

  await expect(overview.tile("Pending, due")).toHaveText("4");
  await expect(overview.note("Pending, due")).toContainText("−8 vs 1 h ago");
  await expect(overview.note("Pending, due")).toContainText("±0 vs yesterday");
  await expect(overview.note("Failed for good")).toContainText("−5 vs 1 h ago");
  await expect(overview.note("Running")).toContainText("−5 vs yesterday");
  await expect(page.locator("dl svg[data-points]").first()).toHaveAttribute("data-points", "60");
  const links = { "Pending, due": "due", "Oldest due": "due", Running: "running", "Failed for good": "failed" };
  for (const [label, state] of Object.entries(links)) {
    await expect(overview.tile(label).getByRole("link")).toHaveAttribute("href", `/tasks?state=${state}`);
  }
  const row = overview.type("PAY_ORDER");
  await expect(row.getByRole("cell")).toHaveText([
    ...["Failed", "1", "4", /^6 min/, "20%", /^24 sec$/, "0", "0", "Reset 1…"],
  ]);
  await expect(row.getByRole("link", { name: "1", exact: true })).toHaveAttribute(
    "href",
    "/tasks?state=failed&eventType=PAY_ORDER",
  );
  await expect(page.getByRole("heading", { name: "1 event type needs attention" })).toBeVisible();
  await expect(page.getByText(/PAY_ORDER: 1 failed for good, oldest due for 6 min/)).toBeVisible();
  await expect(page.getByRole("link", { name: "See the failed task" })).toHaveAttribute("href", "/tasks?state=failed");
  await row.getByRole("button", { name: "Reset 1 failed task of PAY_ORDER" }).click();
  const panel = page.getByRole("dialog", { name: "Reset many tasks" });
  await expect(panel.getByRole("region", { name: "Which tasks" })).toContainText("event type PAY_ORDER");
  await expect(panel).toContainText("1 match");
});

test("draws what was counted, says it in a sentence and lists it in a table", async ({ page, store, problems }) => {
  const now = await awayFromTheTurn();
  await store.registerType("PAY_ORDER");
  const at = (minutesAgo: number) => bucketStart(now - minutesAgo * MINUTE_MS);
  await insertMetrics(store, [
    { eventType: "PAY_ORDER", source: "cluster", at: at(2), pending: 70, due: 64, oldestDueAgeMs: 90_000 },
    { eventType: "PAY_ORDER", source: "cluster", at: at(1), pending: 9, due: 8, oldestDueAgeMs: 4_000 },
    { eventType: "PAY_ORDER", source: "w-1", at: at(2), succeeded: 1_200, retried: 7, failures: 2, rejected: 5 },
    { eventType: "PAY_ORDER", source: "w-2", at: at(0), succeeded: 34, recycled: 3 },
  ]);
  await store.run(
    `INSERT INTO t_retry_audit (create_time, actor, actor_kind, action, object_kind, object_id, event_type, result)
      VALUES (?, 'ada', 'person', 'task.reset', 'task', '77', 'PAY_ORDER', 'ok')`,
    [store.stored(at(2))],
  );
  await page.goto("/?range=1h");
  await expect(figure(page, /^Backlog/)).toContainText(/Now 8 due; highest 64 at \d\d:\d\d\./);
  const outcomes = figure(page, /^Outcomes per 1 min/);
  await expect(outcomes).toContainText("1,234 succeeded, 7 to be retried, 2 failed for good.");
  await expect(figure(page, /^Age of the oldest/)).toContainText(/Now 4 sec; highest 1 min 30 sec at/);
  await expect(figure(page, /^Dead workers/)).toContainText("3 taken back from dead workers, 5 rejected");
  await expect(outcomes.locator(".recharts-bar-rectangle").first()).toBeAttached();
  await expect(outcomes.locator(".chart-open-bucket").first(), "the last minute is not over").toBeAttached();
  await expect(outcomes.locator("svg").getByText("▾").first()).toBeAttached();

  await page.getByRole("button", { name: "Tables" }).click();
  const table = outcomes.getByRole("table");
  await expect(table.getByRole("row")).toHaveCount(62);
  const rows = table.getByRole("row");
  await expect(rows.nth(1)).toContainText("not over yet");
  await expect(rows.nth(1).getByRole("cell")).toHaveText(["34", "0", "0", ""]);
  await expect(rows.nth(3).getByRole("cell")).toHaveText(["1,200", "7", "2", "ada reset task 77 · PAY_ORDER"]);
  await expect(actions(page).getByRole("listitem")).toContainText("ada reset task 77 · PAY_ORDER");
  expect(problems.filter((problem) => !problem.includes("404"))).toEqual([]);
});

test("keeps the range in the address, and zooms into a part of it", async ({ page, store }) => {
  test.setTimeout(150_000);
  await seedScene(store);
  await page.goto("/");
  await page.getByRole("button", { name: "Last 24 hours" }).click();
  await expect(page).toHaveURL(/\?range=24h$/);
  await page.reload();
  await expect(page.getByRole("button", { name: "Last 24 hours" })).toHaveAttribute("aria-pressed", "true");
  const plot = figure(page, /^Outcomes per 15 min/)
    .locator(".recharts-surface")
    .first();
  await expect(plot).toBeVisible();
  // What is drawn above it later moves the chart: each try measures anew.
  await expect(async () => {
    await plot.scrollIntoViewIfNeeded({ timeout: 2_000 });
    const box = await plot.boundingBox();
    if (!box) throw new Error("the chart has no place");
    await page.mouse.move(box.x + box.width * 0.5, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 4 });
    await page.mouse.move(box.x + box.width * 0.8, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await expect(page.getByText(/^Shown: \d\d:\d\d to \d\d:\d\d/)).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await page.getByRole("button", { name: "Show the whole range" }).click();
  await expect(page.getByText(/^Shown:/)).toHaveCount(0);
});

test("names the causes, the types they hit and how often, and leads to their tasks", async ({ page, store }) => {
  await store.registerType("PAY_ORDER");
  const insert = (kind: string, eventType: string, fingerprint: string, error: string, minutesAgo: number) =>
    store.run(
      `INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, error, error_fingerprint, create_time)
        VALUES (1, ?, ?, 1, 1, ?, ?, ?)`,
      [eventType, kind, error, fingerprint, store.stored(new Date(Date.now() - minutesAgo * MINUTE_MS))],
    );
  for (let n = 0; n < 3; n++) await insert("retried", "SEND_SMS", "aaaa", "Timeout\n at x", n);
  await insert("retried", "PAY_ORDER", "bbbb", "Boom 1", 90);
  await insert("failed", "PAY_ORDER", "bbbb", "\n Boom 2\n at y", 5);
  await insert("failed", "PAY_ORDER", "cccc", "too old", 25 * 60);
  await page.goto("/");
  const rows = causes(page).getByRole("row");
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(1)).toContainText("Boom 2");
  await expect(rows.nth(1).getByRole("cell").nth(2)).toHaveText("1");
  await expect(rows.nth(1).getByRole("cell").nth(3)).toHaveText("2");
  await expect(rows.nth(1).getByRole("link")).toHaveAttribute("href", "/tasks?state=failed&cause=bbbb");
  await expect(rows.nth(2)).toContainText("SEND_SMS");
  await expect(rows.nth(2).getByRole("cell").nth(3)).toHaveText("3");
});

test.describe("a part that cannot be read says so alone", () => {
  const withoutTable = async (
    store: { run(statement: string): Promise<void> },
    table: string,
    work: () => Promise<void>,
  ) => {
    await store.run(`RENAME TABLE t_retry_${table} TO hidden_${table}`);
    try {
      await work();
    } finally {
      await store.run(`RENAME TABLE hidden_${table} TO t_retry_${table}`);
    }
  };

  test("the metrics: no course, the numbers stand", async ({ page, store }) => {
    const overview = new OverviewPage(page);
    await store.insert({ eventType: "PAY_ORDER", status: "failed" });
    await withoutTable(store, "metric", async () => {
      await page.goto("/");
      await expect(charts(page).getByRole("alert")).toContainText("schema_missing");
      await expect(overview.tile("Failed for good")).toHaveText("1");
      await expect(overview.note("Failed for good")).toContainText("its history could not be read");
      await expect(overview.type("PAY_ORDER")).toBeVisible();
      await expect(causes(page).getByText("No attempt failed")).toBeVisible();
    });
    await pressUntil(charts(page).getByRole("button", { name: "Try again" }), figure(page, /^Backlog/));
  });

  test("the registry of workers", async ({ page, store }) => {
    const overview = new OverviewPage(page);
    await store.insert({ eventType: "PAY_ORDER", status: "failed" });
    await withoutTable(store, "worker", async () => {
      await page.goto("/");
      await expect(overview.tile("Failed for good")).toHaveText("1");
      await expect(overview.tile("Workers alive")).toHaveText("–");
      await expect(overview.note("Workers alive")).toHaveText("could not be read");
      await expect(page.getByRole("heading", { name: "1 task waits for a person" })).toBeVisible();
    });
  });

  test("the history", async ({ page, store }) => {
    const overview = new OverviewPage(page);
    await store.insert({ eventType: "PAY_ORDER", status: "failed" });
    await withoutTable(store, "attempt", async () => {
      await page.goto("/");
      await expect(causes(page).getByRole("alert")).toContainText("schema_missing");
      await expect(overview.tile("Dead-recycled")).toHaveText("–");
      await expect(overview.tile("Failed for good")).toHaveText("1");
    });
  });
});

test("C1: refreshes do not pile up while answers are slow", async ({ page, store }) => {
  await store.insert({ eventType: "PAY_ORDER", status: "failed" });
  await page.clock.install();
  const open = new Map<string, number>();
  const asked: string[] = [];
  let most = 0;
  let isSlow = false;
  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/api/v1/**", async (route) => {
    const path = new URL(route.request().url()).pathname;
    asked.push(path);
    open.set(path, (open.get(path) ?? 0) + 1);
    most = Math.max(most, open.get(path) ?? 0);
    if (isSlow) await held;
    await route.continue().catch(() => undefined);
    open.set(path, (open.get(path) ?? 0) - 1);
  });
  const overview = new OverviewPage(page);
  await page.goto("/");
  await expect(overview.tile("Failed for good")).toHaveText("1");
  await expect(figure(page, /^Backlog/)).toBeVisible();
  isSlow = true;
  asked.length = 0;
  // Within the time limit of a request several refreshes would have been due.
  for (let second = 0; second < 14; second++) await page.clock.runFor(1_000);
  await expect.poll(() => new Set(asked).size).toBeGreaterThan(3);
  expect(asked.length, "each is asked once").toBe(new Set(asked).size);
  expect(most).toBe(1);
  answer();
  await expect(overview.tile("Failed for good")).toHaveText("1");
});

test("CONSOLE 9: shows hostile names, errors and actors literally", async ({ page, store, problems }) => {
  const hostile = `<img src=x onerror=alert(1)>\u202e`;
  await store.insert({ eventType: hostile, status: "failed" });
  await store.run(
    `INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, error, error_fingerprint, create_time)
      VALUES (1, ?, 'failed', 1, 1, ?, 'ffff', ?)`,
    [hostile, `${hostile} in an error`, store.stored(new Date())],
  );
  await store.run(
    `INSERT INTO t_retry_audit (create_time, actor, actor_kind, action, object_kind, object_id, event_type, reason, result)
      VALUES (?, ?, 'person', ?, 'task', '1', ?, ?, 'ok')`,
    [store.stored(new Date()), hostile, hostile, hostile, hostile],
  );
  const overview = new OverviewPage(page);
  await page.goto("/?range=1h");
  const shown = "<img src=x onerror=alert(1)>‹U+202E›";
  await expect(overview.types).toContainText(shown);
  await expect(causes(page)).toContainText(`${shown} in an error`);
  await expect(actions(page).getByRole("listitem")).toContainText(`${shown} ${shown} 1 · ${shown}`);
  await expect(overview.type(shown).getByRole("link").first()).toHaveAttribute(
    "href",
    /eventType=%3Cimg\+src%3Dx\+onerror%3Dalert%281%29%3E%E2%80%AE$/,
  );
  expect(problems).toEqual([]);
});

for (const [language, theme] of LOOKS) {
  test(`CONSOLE 9: is accessible in ${language}, ${theme}, as charts and as tables, and fits 390 px`, async ({
    page,
    context,
    store,
    baseURL,
  }) => {
    test.setTimeout(180_000);
    await seedScene(store);
    // The list below has checks of its own; each of its rows costs the analysis time.
    await store.run("DELETE FROM t_retry_task WHERE status = 2 AND id % 9 <> 0");
    await context.addCookies([
      { name: "redrive_locale", value: language, url: baseURL ?? "" },
      { name: "redrive_theme", value: theme, url: baseURL ?? "" },
    ]);
    await page.goto("/");
    await expect(page.locator(".recharts-surface")).toHaveCount(4, { timeout: 40_000 });
    // A machine that is busy with the analysis must not make the page call its answers old.
    await page.getByRole("button", { name: language === "en" ? "Pause refresh" : "暂停刷新" }).click();
    const faults = async () => {
      const { violations } = await new AxeBuilder({ page }).analyze();
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    };
    expect(await faults()).toEqual([]);
    await page.getByRole("button", { name: language === "en" ? "Tables" : "表格" }).click();
    await expect(page.locator("figure table")).toHaveCount(4);
    if (language === "en" && theme === "light") expect(await faults()).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectToFit(page);
  });
}

test("answers only what is asked for in a known form", async ({ request }) => {
  for (const path of ["series?range=1y", "series?range=1h&range=6h", "trends?x=1", "causes?limit=9", "actions?a=b"]) {
    expect([path, (await request.get(`/api/v1/dashboard/${path}`)).status()]).toEqual([path, 400]);
  }
  const answer = (await (await request.get("/api/v1/dashboard/series")).json()) as { range: string; starts: string[] };
  expect([answer.range, answer.starts.length]).toEqual(["6h", 73]);
});
