import type { Locator, Page } from "@playwright/test";
import { expect, type Store, test } from "./support/fixtures.ts";
import { lookAt } from "./support/look-at.ts";
import { LOOKS } from "./support/looks.ts";
import { pressUntil } from "./support/press-until.ts";

const BIG = "1970670598291982290";
const HOSTILE = [
  `<img src=x onerror=alert(1)>`,
  `</script><script>alert(2)</script>`,
  `=cmd|' /C calc'!A0`,
  `a\u202eb😀`,
];
const ago = (ms: number) => new Date(Date.now() - ms);
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

class ArchivePage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get table(): Locator {
    return this.page.getByRole("table", { name: "Archived tasks, newest first" });
  }

  /** The rows of the page, by the id that each links to. */
  async ids(): Promise<string[]> {
    await expect(this.table.getByRole("link").first()).toBeVisible();
    return this.table.getByRole("link").allTextContents();
  }

  get dialog(): Locator {
    return this.page.getByRole("dialog", { name: "Replay this archived task?" });
  }

  get messages(): Locator {
    return this.page.getByRole("region", { name: "Messages" }).getByRole("status");
  }

  /** The task that was made of another, by the notice that says so and soon leaves. */
  async madeOf(id: string): Promise<string> {
    const said = new RegExp(`Task (\\d+) was made from task ${id}\\. It is pending`);
    let text = "";
    await expect.poll(async () => (text = (await this.messages.textContent()) ?? "")).toMatch(said);
    return said.exec(text)?.[1] ?? "";
  }

  async openDialog(id: string): Promise<void> {
    await this.page.goto(`/archive/${id}`);
    await this.page.getByRole("button", { name: "Replay…" }).click();
    await expect(this.dialog).toBeVisible();
  }
}

test("A2: a key that came back shows all its tasks in order, each with its own page", async ({ page, store }) => {
  for (const [n, days] of [200, 40, 2].entries()) {
    await store.archive({
      id: String(101 + n),
      bizKey: "k1",
      bizContext: `{"round":${n + 1}}`,
      archivedAt: ago(days * DAY_MS),
    });
  }
  await store.archive({ id: "104", bizKey: "K1", archivedAt: ago(DAY_MS) });
  const archive = new ArchivePage(page);
  await page.goto("/archive");
  expect(await archive.ids()).toEqual(["104", "103"]);
  await page.getByLabel("Biz key (exact)").fill("k1");
  await page.keyboard.press("Enter");
  await expect(archive.table.getByRole("link")).toHaveText(["103", "102", "101"]);
  await expect(page.getByText("3 tasks", { exact: true })).toBeVisible();
  await archive.table.getByRole("link", { name: "102" }).click();
  await expect(page.getByRole("heading", { name: "Archived task 102" })).toBeVisible();
  await page.getByRole("button", { name: /^Show the payload/ }).click();
  await expect(page.getByRole("group", { name: "Payload", exact: true })).toContainText(/round.*2/);
  await page.goBack();
  await expect(archive.table.getByRole("link")).toHaveText(["103", "102", "101"]);
});

test("pages go both ways, and the count covers all of them", async ({ page, store }) => {
  await archiveMany(store, 120);
  const archive = new ArchivePage(page);
  await page.goto("/archive");
  expect(await archive.ids()).toEqual(Array.from({ length: 50 }, (_, n) => String(1_119 - n)));
  await expect(page.getByText("120 tasks", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Older" }).click();
  await expect(archive.table.getByRole("link").first()).toHaveText("1069");
  await page.getByRole("button", { name: "Older" }).click();
  await expect(archive.table.getByRole("link")).toHaveCount(20);
  await expect(page.getByRole("button", { name: "Older" })).toHaveCount(0);
  await page.getByRole("button", { name: "Newer" }).click();
  await expect(archive.table.getByRole("link").first()).toHaveText("1069");
  await page.getByRole("button", { name: "Newest" }).click();
  await expect(archive.table.getByRole("link").first()).toHaveText("1119");
});

test("filters live in the address, and each can be taken off", async ({ page, store }) => {
  await archiveMany(store, 60);
  const archive = new ArchivePage(page);
  await page.goto("/archive");
  await page.getByLabel("Event type", { exact: true }).selectOption("MAIL");
  await expect(archive.table.getByRole("link")).toHaveCount(10);
  await page.getByLabel("Final state", { exact: true }).selectOption("failed");
  await expect(archive.table.getByRole("link")).toHaveCount(5);
  await expect(page).toHaveURL(/\/archive\?type=MAIL&state=failed$/);
  await page.reload();
  await expect(archive.table.getByRole("link")).toHaveCount(5);
  await page.getByRole("button", { name: "Remove the filter Event type: MAIL" }).click();
  await expect(archive.table.getByRole("link")).toHaveCount(30);
  await page.getByRole("button", { name: "Clear all" }).click();
  await expect(page.getByText("60 tasks", { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/\/archive$/);
});

test("a month is one choice, a time of its own at most 31 days", async ({ page, store }) => {
  await store.archive({ id: "201", archivedAt: ago(HOUR_MS) });
  await store.archive({ id: "202", archivedAt: ago(25 * DAY_MS) });
  const archive = new ArchivePage(page);
  await page.goto("/archive");
  expect(await archive.ids()).toEqual(["201"]);
  await page.getByLabel("Archived", { exact: true }).selectOption("Last 31 days");
  await expect(archive.table.getByRole("link")).toHaveText(["201", "202"]);
  await page.getByLabel("From", { exact: true }).fill("2026-01-01T00:00");
  await expect(page.getByText("At most 31 days, and the end after the start.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Apply" })).toBeDisabled();
  await page.getByLabel("To", { exact: true }).fill("2026-01-31T00:00");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(
    page.getByText("No archived task").or(page.getByText("Nothing was archived in this time")),
  ).toBeVisible();
  // The address holds instants: the browser's zone is Asia/Shanghai.
  await expect(page).toHaveURL(({ searchParams }) => searchParams.get("from") === "2025-12-31T16:00:00.000Z");
  await page.goto("/archive?from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z");
  await expect(page.getByRole("main").getByRole("alert")).toContainText("The request is not valid.");
});

test("replays a failed task as a new one; both name each other, and the audit names the person", async ({
  page,
  store,
}) => {
  const bizContext = '{"big":12345678901234567890}';
  await store.archive({
    id: BIG,
    eventType: "PAY",
    bizKey: "order-7",
    bizContext,
    status: "failed",
    lastError: "boom",
    finishReason: "exhausted",
  });
  const archive = new ArchivePage(page);
  await archive.openDialog(BIG);
  await expect(archive.dialog).toContainText("No live task has this event type and biz key.");
  await archive.dialog.getByLabel("Reason (optional)").fill("downstream is back");
  await archive.dialog.getByRole("button", { name: "Replay as 1 new task" }).click();
  const id = await archive.madeOf(BIG);
  await expect(archive.dialog).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Replay…" })).toBeFocused();

  expect(await store.read(id)).toMatchObject({ status: "pending", bizKey: "order-7", bizContext, parentId: BIG });
  await expect(page.getByRole("link", { name: id })).toHaveAttribute("href", `/tasks/${id}`);
  await expect(page.getByRole("table", { name: "What happened to this task" })).toContainText(
    `As task ${id}: downstream is back`,
  );
  expect(await store.attempts(id)).toMatchObject([{ kind: "replayed", detail: `of task ${BIG}: downstream is back` }]);
  expect(
    await store.rows("SELECT action, object_id, result, reason FROM t_retry_audit WHERE action = 'task.replay'"),
  ).toEqual([{ action: "task.replay", object_id: BIG, result: "ok", reason: "downstream is back" }]);
});

test("names a live twin before anything is sent, and refuses one that came meanwhile", async ({ page, store }) => {
  await store.archive({ id: "301", bizKey: "twin", status: "failed" });
  const twin = await store.insert({ bizKey: "twin", status: "failed" });
  const archive = new ArchivePage(page);
  await archive.openDialog("301");
  await expect(archive.dialog.getByRole("alert")).toContainText(
    `Task ${twin} has the same event type and biz key and is live: Failed for good`,
  );
  await expect(archive.dialog.getByRole("link", { name: `Open task ${twin}` })).toHaveAttribute(
    "href",
    `/tasks/${twin}`,
  );
  const send = archive.dialog.getByRole("button", { name: "Replay as 1 new task" });
  await expect(send).toBeDisabled();
  await store.run(`DELETE FROM t_retry_task WHERE id = ${twin}`);
  await archive.dialog.getByRole("button", { name: "Check again" }).click();
  await expect(send).toBeEnabled();

  const late = await store.insert({ bizKey: "twin", status: "running" });
  await send.click();
  await expect(archive.messages).toContainText(
    "Task 301 was not replayed. A live task has the same event type and biz key.",
  );
  await expect(archive.dialog.getByRole("alert")).toContainText(`Task ${late}`);
  await expect(send).toBeDisabled();
  expect(await store.rows("SELECT result FROM t_retry_audit WHERE object_id = '301'")).toEqual([{ result: "failed" }]);
});

test("replays a task that succeeded only after a second yes", async ({ page, store, request }) => {
  await store.archive({ id: "401", bizKey: "paid" });
  const refused = await request.post("/api/v1/archive/401/replay", { data: {}, headers: await ownOrigin(page) });
  expect([refused.status(), await refused.json()]).toMatchObject([409, { code: "task_succeeded" }]);
  const archive = new ArchivePage(page);
  await archive.openDialog("401");
  await expect(archive.dialog).toContainText("Its effect may happen a second time");
  const send = archive.dialog.getByRole("button", { name: "Replay the succeeded task" });
  await expect(send).toBeDisabled();
  await archive.dialog.getByLabel("I want its effect to happen again").check();
  await send.click();
  await expect(archive.messages).toContainText("was made from task 401");
});

test("replays with another payload, shows what it changes, and keeps every digit", async ({ page, store }) => {
  await store.archive({
    id: "501",
    bizKey: "edit",
    status: "failed",
    bizContext: '{"orderId":1970670598291982290,"amount":5}',
  });
  const archive = new ArchivePage(page);
  await archive.openDialog("501");
  await archive.dialog.getByLabel("Another payload").check();
  const editor = archive.dialog.getByLabel("New payload (JSON)");
  await expect(editor).toHaveValue('{\n  "orderId": 1970670598291982290,\n  "amount": 5\n}');
  await expect(archive.dialog).toContainText("No change yet.");
  await editor.fill('{"orderId": 1970670598291982290, "amount": 6');
  await expect(archive.dialog).toContainText("Not valid JSON yet.");
  await expect(archive.dialog.getByRole("button", { name: "Replay as 1 new task" })).toBeDisabled();
  await editor.fill('{"orderId": 1970670598291982290, "amount": 6}');
  const diff = archive.dialog.getByRole("group", { name: "Lines removed and added" });
  await expect(diff.getByRole("row", { name: 'removed "amount": 5' })).toBeVisible();
  await expect(diff.getByRole("row", { name: 'added "amount": 6' })).toBeVisible();
  await archive.dialog.getByRole("button", { name: "Replay as 1 new task" }).click();
  const id = await archive.madeOf("501");
  expect(await store.read(id)).toMatchObject({ bizContext: '{"orderId": 1970670598291982290, "amount": 6}' });
  const [audit] = await store.rows("SELECT detail FROM t_retry_audit WHERE object_id = '501'");
  expect(JSON.parse(String(audit?.["detail"]))).toMatchObject({
    replay: { id, outcome: "done" },
    payload: { after: expect.stringContaining('"amount": 6') },
  });
});

test("CONSOLE 9: hostile strings stand there literally, in the page and safely in the file", async ({
  page,
  store,
  problems,
}) => {
  for (const [n, text] of HOSTILE.entries()) {
    await store.archive({
      ...{ id: String(601 + n), eventType: text, bizKey: text, status: "failed", lastError: text },
      ...{ errorFingerprint: `<b>${n}</b>`, bizContext: JSON.stringify({ text }), finishReason: "<i>odd</i>" },
    });
  }
  const archive = new ArchivePage(page);
  await page.goto("/archive");
  for (const text of HOSTILE) {
    await expect(archive.table.getByText(text.replace("\u202e", "‹U+202E›"), { exact: true }).first()).toBeVisible();
  }
  await page.goto("/archive/601");
  await expect(page.getByRole("definition").filter({ hasText: HOSTILE[0] }).first()).toBeVisible();
  await page.getByRole("button", { name: /^Show the payload/ }).click();
  await expect(page.getByRole("group", { name: "Payload", exact: true })).toContainText("<img src=x onerror=alert(1)>");
  await page.goto(
    `/archive?key=${encodeURIComponent(HOSTILE[1] ?? "")}&cause=%3Cb%3E&type=${encodeURIComponent(HOSTILE[0] ?? "")}`,
  );
  await expect(page.getByText("No archived task matches")).toBeVisible();
  expect(problems).toEqual([]);

  await page.goto("/archive");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download CSV" }).click();
  const stream = await (await download).createReadStream();
  let csv = "";
  for await (const chunk of stream) csv += String(chunk);
  expect(csv.split("\r\n")[0]).toBe(
    "\ufeffid,archivedAt,eventType,bizKey,state,finishReason,retryCount,maxRetryCount,recycleCount,createdAt,finishedAt,cause,error,parentId",
  );
  expect(csv).toContain(`,'=cmd|' /C calc'!A0,'=cmd|' /C calc'!A0,failed,`);
  expect(csv.split("\r\n")).toHaveLength(HOSTILE.length + 2);
  expect(await store.rows("SELECT action FROM t_retry_audit WHERE action = 'archive.export'")).toHaveLength(1);
});

test("says what was deleted by policy, that nothing is there, and that a task is not in the archive", async ({
  page,
  store,
}) => {
  await page.goto("/archive");
  await expect(page.getByText("Nothing was archived in this time")).toBeVisible();
  await expect(page.getByText("Refresh by hand")).toBeVisible();
  await expect(page.getByRole("button", { name: "Pause" })).toHaveCount(0);
  await store.run(
    `INSERT INTO t_retry_export (target, day, source, row_count, manifest_sha256, exported_time, purge_began_time, purged_time)
      VALUES ('/lake', '2026-07-31', 'tasks', 1, '', NOW(3), NOW(3), NOW(3)), ('/lake', '2026-08-02', 'tasks', 1, '', NOW(3), NOW(3), NULL)`,
  );
  await page.reload();
  await expect(page.getByText("Rows archived before 2026-08-01 (UTC) were deleted by policy.")).toBeVisible();
  await expect(page.getByText("Of 1 day only types that are kept for longer are left.")).toBeVisible();
  await store.run("DELETE FROM t_retry_export");
  await page.goto("/archive/999");
  await expect(page.getByRole("main").getByRole("alert")).toContainText(
    "The task is not in the archive, or no longer.",
  );
  await page.goto("/archive/abc");
  await expect(page.getByText("There is no such page")).toBeVisible();
});

test("shows the problem in place of the rows when the database is away, and the rows when it is back", async ({
  page,
  store,
  gate,
}) => {
  await store.archive({ id: "711" });
  const archive = new ArchivePage(page);
  await page.goto("/archive");
  expect(await archive.ids()).toEqual(["711"]);
  await gate.close();
  await page.getByLabel("Final state", { exact: true }).selectOption("succeeded");
  await expect(page.getByRole("main").getByRole("alert")).toContainText("The database does not answer.");
  await expect(page.getByLabel("Final state", { exact: true })).toBeEnabled();
  await gate.open();
  await pressUntil(page.getByRole("button", { name: "Try again" }), archive.table.getByRole("link").first());
  expect(await archive.ids()).toEqual(["711"]);
});

for (const [lang, theme] of LOOKS) {
  test(`CONSOLE 9: archive pages have no serious accessibility problem in ${lang}, ${theme}`, async ({
    page,
    store,
    context,
    baseURL,
  }) => {
    await store.archive({
      id: "801",
      status: "failed",
      lastError: "PaymentError: refused",
      errorFingerprint: "a1b2c3",
      retryCount: 3,
      finishReason: "exhausted",
    });
    await store.archive({ id: "802", parentId: "801" });
    const url = baseURL ?? "";
    await context.addCookies([
      { name: "redrive_locale", value: lang, url },
      { name: "redrive_theme", value: theme, url },
    ]);
    await page.goto("/archive?state=failed");
    await expect(page.getByRole("table")).toBeVisible();
    await lookAt(page, "archive");
    await page.goto("/archive/802");
    await expect(page.getByRole("heading", { level: 1 })).toContainText("802");
    await page.getByRole("button", { name: /payload|载荷/ }).click();
    await lookAt(page, "archived-task");
    await page.getByRole("button", { name: /Replay…|重放…/ }).click();
    await page.getByRole("radio").nth(1).check();
    await expect(page.getByRole("dialog").getByRole("textbox")).toHaveCount(2);
    await lookAt(page, "replay");
  });
}

/** Ids from 1000 on, the newest last: the last ten of type MAIL, the others of PAY; every second one failed. */
async function archiveMany(store: Store, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => ({
    id: String(1_000 + n),
    eventType: n < count - 10 ? "PAY" : "MAIL",
    status: n % 2 === 0 ? ("failed" as const) : ("succeeded" as const),
    archivedAt: ago(HOUR_MS - n * 1_000),
  }));
  await Promise.all(rows.map((row) => store.archive(row)));
}

async function ownOrigin(page: Page): Promise<Record<string, string>> {
  await page.goto("/archive");
  return { origin: new URL(page.url()).origin };
}
