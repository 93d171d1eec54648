import { expect, test } from "./support/fixtures.ts";
import { OverviewPage } from "./support/overview-page.ts";
import { pressUntil } from "./support/press-until.ts";

test("shows the counts of the table, per type and in total, and follows them", async ({ page, store, problems }) => {
  await store.registerType("IDLE");
  for (let n = 0; n < 3; n++) await store.insert({ eventType: "PAY_ORDER", dueInMs: 600_000 });
  for (let n = 0; n < 2; n++) await store.insert({ eventType: "PAY_ORDER", dueInMs: -1_000 });
  for (let n = 0; n < 2; n++) await store.insert({ eventType: "PAY_ORDER", status: "running", owner: "w-1" });
  const failed = await store.insert({ eventType: "SEND_SMS", status: "failed" });
  await store.insert({ eventType: "SEND_SMS", status: "succeeded" });
  await store.run(
    `INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, create_time) VALUES
      (${failed}, 'SEND_SMS', 'recycled', 0, 1, UTC_TIMESTAMP(3)),
      (${failed}, 'SEND_SMS', 'recycled', 0, 2, UTC_TIMESTAMP(3) - INTERVAL 25 HOUR)`,
  );
  const overview = new OverviewPage(page);
  await page.goto("/");

  await expect(overview.tile("Pending, due")).toHaveText("2");
  await expect(overview.note("Pending, due")).toContainText("3 scheduled later");
  await expect(overview.tile("Running")).toHaveText("2");
  await expect(overview.tile("Failed for good")).toHaveText("1");
  await expect(overview.tile("Dead-recycled")).toHaveText("1");
  await expect(overview.tile("Workers alive")).toHaveText("1 / 1");
  await expect(overview.type("PAY_ORDER").getByRole("cell")).toHaveText([
    ...["Normal", "0", "2", /\d sec$/, "–", "–", "2", "0", ""],
  ]);
  await expect(overview.type("SEND_SMS").getByRole("cell")).toHaveText([
    ...["Failed", "1", "0", "none", "–", "–", "0", "1", "Reset 1…"],
  ]);
  await expect(overview.type("IDLE").getByRole("cell")).toHaveText([
    ...["Normal", "0", "0", "none", "–", "–", "0", "0", ""],
  ]);
  await expect(page.getByRole("heading", { name: "1 task waits for a person" })).toBeVisible();

  const row = await overview.type("PAY_ORDER").elementHandle();
  await store.insert({ eventType: "PAY_ORDER", dueInMs: -1_000 });
  await store.stopWorker("w-1");
  await expect(overview.tile("Pending, due")).toHaveText("3");
  await expect(overview.tile("Workers alive")).toHaveText("0");
  await expect(page.getByRole("heading", { name: "No worker is alive" })).toBeVisible();
  expect(await row?.evaluate((element) => element.isConnected), "the row was not made anew").toBe(true);
  expect(problems).toEqual([]);
});

test("says that all is well when no task waits for a person", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "All normal" })).toBeVisible();
  await expect(page.getByText("No task waits for a person", { exact: true })).toBeVisible();
  await expect(page.getByRole("heading", { name: "No task yet" })).toBeVisible();
});

test("keeps the last answer while the database is away, says how old it is, and recovers", async ({
  page,
  store,
  gate,
}) => {
  const id = await store.insert({ eventType: "PAY_ORDER", status: "failed" });
  const overview = new OverviewPage(page);
  await page.goto("/");
  await expect(overview.task(id)).toBeVisible();

  await gate.close();
  await expect(page.getByText(/^Last updated \d\d:\d\d:\d\d\. Refresh failed/).first()).toBeVisible();
  await expect(page.getByRole("heading", { name: "The state is unknown" })).toBeVisible();
  await expect(overview.task(id)).toBeVisible();

  await gate.open();
  // The first press may come before the console has a connection again.
  await expect(async () => {
    await page.getByRole("button", { name: "Refresh now" }).click({ timeout: 3_000 });
    await expect(page.getByText(/Refresh failed/)).toHaveCount(0, { timeout: 3_000 });
  }).toPass();
  await expect(page.getByRole("heading", { name: "1 task waits for a person" })).toBeVisible();
});

test("shows a problem card without a first answer and recovers at a press", async ({ page, store, gate, request }) => {
  const id = await store.insert({ status: "failed" });
  await gate.close();
  expect((await request.get("/api/health")).status()).toBe(503);
  const overview = new OverviewPage(page);
  await page.goto("/");
  const problem = overview.failedList.getByRole("alert");
  await expect(problem).toContainText("The database does not answer.");
  await expect(problem).toContainText(/database_unavailable · Request [0-9a-f-]{36}/);
  for (const label of ["Failed for good", "Dead-recycled, 1 h", "Workers alive"]) {
    await expect(overview.tile(label)).toHaveText("–");
    await expect(overview.note(label), "nothing is said of what is not known").toHaveText("could not be read");
  }

  await gate.open();
  await pressUntil(problem.getByRole("button", { name: "Try again" }), overview.task(id));
  expect((await request.get("/api/health")).status()).toBe(200);
});

test("pages through failed tasks by cursor and filters them by type, all in the address", async ({ page, store }) => {
  const due = Date.UTC(2026, 8, 24);
  const ids: string[] = [];
  for (let n = 0; n < 60; n++) {
    const nextRetryTime = new Date(due - n * 1_000);
    ids.push(await store.insert({ eventType: n % 2 ? "ODD" : "EVEN", status: "failed", nextRetryTime }));
  }
  const overview = new OverviewPage(page);
  await page.goto("/");
  const rows = overview.failedList.getByRole("button", { name: /^Reset task/ });
  await expect(rows).toHaveCount(50);
  await page.getByRole("button", { name: "Older" }).click();
  await expect(rows).toHaveCount(10);
  await expect(overview.task(ids[50] ?? "")).toBeVisible();
  await page.reload();
  await expect(rows).toHaveCount(10);
  await page.getByRole("button", { name: "Back to the newest" }).click();
  await expect(rows).toHaveCount(50);

  await page.getByLabel("Event type", { exact: true }).selectOption("ODD");
  await expect(rows).toHaveCount(30);
  await expect(page).toHaveURL(/\/\?eventType=ODD$/);
  await page.getByLabel("Event type", { exact: true }).selectOption("EVEN");
  await expect(overview.task(ids[0] ?? "")).toBeVisible();
  await expect(rows).toHaveCount(30);
  await page.goBack();
  await expect(overview.task(ids[1] ?? "")).toBeVisible();
});

test("counts only the workers that take a type of the person's", async ({ client, store, request }) => {
  await store.registerType("PAY_ORDER");
  await store.registerWorker("payer");
  await store.run(`UPDATE t_retry_worker SET event_types = '["PAY_ORDER", "SEND_SMS"]' WHERE owner = 'payer'`);
  const counted = async (asker: typeof request) => {
    const answer = await asker.get("/api/v1/overview", { headers: { "X-Refresh": "now" } });
    return ((await answer.json()) as { workers: unknown }).workers;
  };
  expect(await counted(request)).toEqual({ alive: 2, registered: 2 });
  expect(await counted((await client("viewer", ["PAY_ORDER"])).request)).toEqual({ alive: 1, registered: 1 });
  expect(await counted((await client("viewer", ["SYNC_ERP"])).request)).toEqual({ alive: 0, registered: 0 });
});
