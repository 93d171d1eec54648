import { AxeBuilder } from "@axe-core/playwright";
import type { TaskStatus } from "../db/schema/task-status.ts";
import type { TaskRowValues } from "../db/testing/task-rows.ts";
import { chooseFromMenu } from "./support/choose-from-menu.ts";
import { expect, type Store, test } from "./support/fixtures.ts";
import { pauseRefresh } from "./support/pause-refresh.ts";
import { TaskPage } from "./support/task-page.ts";
import { LOOKS } from "./support/looks.ts";

const FAILED = {
  eventType: "PAY_ORDER",
  bizKey: "order-7",
  status: "failed",
  retryCount: 3,
  claimNo: 3,
  finishReason: "exhausted",
  lastError: "HttpError: 500 from credit-core\n    at grant (pay.ts:1:1)\n    at run (node_modules/x/y.js:2:2)",
  finishedTime: new Date("2026-09-24T06:03:20Z"),
} as const satisfies TaskRowValues;

/** Moves a task to the archive as the archiver does. */
async function archive(store: Store, id: string): Promise<void> {
  const columns =
    "event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy, first_retry_interval, next_retry_time, create_time, update_time, claim_no, recycle_count, finished_time";
  await store.run(
    `INSERT INTO t_retry_task_archive (id, archived_time, ${columns}) SELECT id, UTC_TIMESTAMP(3), ${columns} FROM t_retry_task WHERE id = ${id}`,
  );
  await store.run(`DELETE FROM t_retry_task WHERE id = ${id}`);
}

test.describe("C4: the task is no longer what the page shows", () => {
  const MEANWHILE: readonly [name: string, shown: RegExp, change: (store: Store, id: string) => Promise<void>][] = [
    ["pending", /It is now: Pending/, (store, id) => store.run(`UPDATE t_retry_task SET status = 0 WHERE id = ${id}`)],
    ["running", /It is now: Running/, (store, id) => store.claim(id)],
    [
      "succeeded",
      /It is now: Succeeded/,
      (store, id) => store.run(`UPDATE t_retry_task SET status = 1 WHERE id = ${id}`),
    ],
    [
      "cancelled",
      /It is now: Cancelled/,
      (store, id) => store.run(`UPDATE t_retry_task SET status = 4 WHERE id = ${id}`),
    ],
    [
      "failed again after another run",
      /has changed since you saw it\. It is now: Failed for good/,
      (store, id) => store.run(`UPDATE t_retry_task SET claim_no = 9 WHERE id = ${id}`),
    ],
  ];

  for (const [name, shown, change] of MEANWHILE) {
    test(`${name}: nothing is changed, and the page shows the fresh state`, async ({ page, store }) => {
      const id = await store.insert(FAILED);
      const task = new TaskPage(page);
      await task.open(id);
      await pauseRefresh(page);
      await task.openReset();
      await change(store, id);
      const before = await store.read(id);
      await task.confirmReset.click();
      await expect(task.conflict).toContainText(shown);
      await expect(task.popover).toHaveCount(0);
      expect(await store.read(id)).toEqual(before);
      expect(await store.attempts(id)).toEqual([]);
      await task.conflict.getByRole("button", { name: "Dismiss" }).click();
      await expect(task.conflict).toHaveCount(0);
    });
  }

  test("A4 archived: the page says where it is now", async ({ page, store }) => {
    const id = await store.insert(FAILED);
    const task = new TaskPage(page);
    await task.open(id);
    await pauseRefresh(page);
    await task.openReset();
    await archive(store, id);
    await task.confirmReset.click();
    await expect(task.conflict).toContainText("The task was moved to the archive.");
    await expect(page.getByRole("link", { name: "Open in the archive" })).toHaveAttribute("href", `/archive/${id}`);
  });

  test("the API answers each status with a conflict and never with a server error", async ({
    request,
    store,
    baseURL,
  }) => {
    const headers = { Origin: baseURL ?? "" };
    const post = async (id: string, verb: string, data: object) => {
      const response = await request.post(`/api/v1/tasks/${id}/${verb}`, { data, headers });
      const { code, taskStatus } = (await response.json()) as { code?: string; taskStatus?: string };
      return [response.status(), code, taskStatus];
    };
    const statuses: readonly TaskStatus[] = ["pending", "running", "succeeded", "cancelled"];
    for (const status of statuses) {
      const id = await store.insert({ ...FAILED, bizKey: status, status, owner: "w-1" });
      const before = await store.read(id);
      expect(await post(id, "reset", {})).toEqual([409, "task_not_failed", status]);
      if (status !== "pending") {
        expect(await post(id, "cancel", {})).toEqual([409, "task_not_waiting", status]);
        expect(await post(id, "run-now", {})).toEqual([409, "task_not_pending", status]);
      } else {
        expect(await post(id, "run-now", {})).toEqual([409, "task_already_due", undefined]);
      }
      expect(await post(id, "undo-reset", { undoToken: "nobody-gave-this" })).toEqual([
        409,
        "undo_too_late",
        undefined,
      ]);
      expect(await store.read(id)).toEqual(before);
      expect(await store.attempts(id)).toEqual([]);
    }
    const archived = await store.insert({ ...FAILED, bizKey: "archived" });
    await archive(store, archived);
    expect(await post(archived, "reset", {})).toEqual([404, "task_archived", "failed"]);
    expect(await post("424242", "reset", {})).toEqual([404, "task_not_found", undefined]);
    for (const path of ["", "/attempts", "/payload", "/payload/download"]) {
      expect((await request.get(`/api/v1/tasks/${archived}${path}`)).status()).toBe(404);
    }
  });

  test("CONSOLE 9: two operators reset the same task: one wins, the other sees the fresh state", async ({
    page,
    context,
    store,
  }) => {
    const id = await store.insert(FAILED);
    const [first, second] = [new TaskPage(page), new TaskPage(await context.newPage())];
    for (const task of [first, second]) {
      await task.open(id);
      await task.openReset();
    }
    await Promise.all([first.confirmReset.click(), second.confirmReset.click()]);
    const told = (task: TaskPage) =>
      task.messages.or(task.conflict).filter({ hasText: /was reset|It is now: Pending/ });
    await Promise.all([first, second].map((task) => expect(told(task).first()).toBeVisible()));
    const texts = await Promise.all([first, second].map((task) => told(task).first().innerText()));
    expect(texts.filter((text) => text.includes("was reset"))).toHaveLength(1);
    expect(await store.attempts(id)).toHaveLength(1);
  });
});

test("CONSOLE 9: the whole reset by keyboard alone, the focus kept", async ({ page, store }) => {
  const id = await store.insert(FAILED);
  const before = await store.read(id);
  const task = new TaskPage(page);
  await task.open(id);
  await expect(page.getByRole("button", { name: /^Reset/ })).toBeVisible();
  await page.keyboard.press("r");
  await expect(task.popover).toContainText("failed attempts 3 → 0");
  await page.keyboard.press("Escape");
  await expect(task.popover).toHaveCount(0);
  await expect(task.button(/^Reset…/)).toBeFocused();
  expect(await store.read(id)).toEqual(before);

  await page.keyboard.press("r");
  const reason = task.popover.getByLabel("Reason (optional)");
  for (
    let presses = 0;
    presses < 8 && !(await reason.evaluate((field) => field === document.activeElement));
    presses++
  ) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.type("the r in this reason opens nothing");
  await page.keyboard.press("Control+Enter");
  await expect(task.messages).toContainText(`Task ${id} was reset.`);
  await expect(task.header).toContainText("Pending");
  await expect(task.heading).toBeFocused();
  expect(await store.read(id)).toMatchObject({ status: "pending", retryCount: 0, claimNo: 3 });
  expect(await store.attempts(id)).toMatchObject([{ kind: "reset", detail: "the r in this reason opens nothing" }]);
});

test("CONSOLE 9: a reset is undone by keyboard with the Undo of its message", async ({ page, store }) => {
  const id = await store.insert(FAILED);
  const before = await store.read(id);
  const task = new TaskPage(page);
  await task.open(id);
  await task.openReset();
  await task.popover.getByLabel("Reason (optional)").press("Control+Enter");
  await task.messages.getByRole("button", { name: "Undo" }).press("Enter");
  await expect(task.messages).toContainText("was undone");
  await expect(task.header).toContainText("Failed for good");
  expect(await store.read(id)).toEqual({ ...before, updateTime: expect.any(Date) as Date });
  await expect(task.section("Operator actions")).toContainText("Undo reset");
});

test("CONSOLE 3.2: hands a task on as a link and as a request of a machine, and finds those like it", async ({
  page,
  store,
  baseURL,
}) => {
  const id = await store.insert({ ...FAILED, errorFingerprint: "a1b2c3", bizKey: "a&b=c #7" });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const task = new TaskPage(page);
  await task.open(id);
  const more = page.getByRole("button", { name: "More actions" });
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await chooseFromMenu(page, more, "Copy link");
  await expect.poll(copied).toBe(`${baseURL}/tasks/${id}`);
  await expect(task.messages).toContainText("Copied");
  await chooseFromMenu(page, more, "Copy as cURL for the API");
  await expect
    .poll(copied)
    .toBe(`curl -fsS -H "Authorization: Bearer $REDRIVE_CONSOLE_TOKEN" '${baseURL}/api/v1/tasks/${id}'`);
  await chooseFromMenu(page, more, "Show the same biz key");
  await expect(page).toHaveURL(/\/tasks\?bizKey=a(%26|&)b%3Dc/);
  await expect(page.locator(`tr[data-task="${id}"]`)).toBeVisible();
});

test("copies over plain HTTP, where browsers give no clipboard to scripts", async ({ page, store }) => {
  const id = await store.insert(FAILED);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const task = new TaskPage(page);
  await task.open(id);
  await page.evaluate(() => {
    const read = navigator.clipboard.readText.bind(navigator.clipboard);
    Object.defineProperty(navigator, "clipboard", { value: { readText: read }, configurable: true });
  });
  await task.button("Copy the task id").click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(id);
  await expect(task.button("Copy the task id"), "the focus stays").toBeFocused();
});

test("CONSOLE 3.3: says what the marks of the plan mean, and what lies beyond its 24 hours", async ({
  page,
  store,
}) => {
  const id = await store.insert({
    ...{ eventType: "PAY_ORDER", status: "pending", retryCount: 1, maxRetryCount: 8, retryStrategy: "FIXED" },
    ...{ firstRetryInterval: 36_000, nextRetryTime: new Date(Date.now() + 3_600_000), claimNo: 2 },
  });
  await store.run(
    `INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, owner, create_time) VALUES (${id}, 'PAY_ORDER', 'recycled', 1, 2, 'w-9', UTC_TIMESTAMP(3))`,
  );
  const task = new TaskPage(page);
  await task.open(id);
  const plan = task.section("Plan");
  const legend = plan.getByRole("list", { name: "What the marks mean" });
  await expect(legend.getByRole("listitem")).toHaveText(["recycled: nobody knows whether it took effect", "planned"]);
  await expect(plan).toContainText("4 more attempts are planned, more than 24 h from now.");
});

test("an undo that comes after a worker's claim changes nothing and says so", async ({ page, store }) => {
  const id = await store.insert(FAILED);
  const task = new TaskPage(page);
  await task.open(id);
  await task.openReset();
  await task.confirmReset.click();
  await expect(task.messages).toContainText("was reset");
  await store.claim(id);
  const running = await store.read(id);
  await task.messages.getByRole("button", { name: "Undo" }).click();
  await expect(task.conflict).toContainText("Too late to undo");
  await expect(task.conflict).toContainText("It is now: Running.");
  expect(await store.read(id)).toEqual(running);
});

test("resets a task for later, and warns if nobody knows how its last attempt ended", async ({ page, store }) => {
  const id = await store.insert({ ...FAILED, finishReason: "abandoned" });
  await store.run(
    `INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, owner, create_time) VALUES (${id}, 'PAY_ORDER', 'recycled', 3, 3, 'w-9', UTC_TIMESTAMP(3))`,
  );
  const task = new TaskPage(page);
  await task.open(id);
  await expect(task.section("Timeline")).toContainText("Nobody knows whether the side effect happened.");
  await task.openReset();
  await expect(task.popover).toContainText("The downstream call may have succeeded.");
  await task.popover.getByRole("button", { name: "In 10 min" }).click();
  await task.confirmReset.click();
  await expect(task.messages).toContainText("was reset");
  const { nextRetryTime, updateTime } = await store.read(id);
  expect(nextRetryTime.getTime() - updateTime.getTime()).toBe(600_000);
  await expect(page.getByText(/Attempt 1 of 3/)).toBeVisible();
});

test("keeps the questions of a reset within a window that is lower than they are", async ({ page, store }) => {
  const task = new TaskPage(page);
  await page.setViewportSize({ width: 640, height: 260 });
  await task.open(await store.insert(FAILED));
  await task.openReset();
  await expect.poll(() => task.popover.evaluate((box) => box.getAnimations({ subtree: true }).length)).toBe(0);
  const look = () =>
    task.popover.evaluate((box) => {
      const { top, bottom } = box.getBoundingClientRect();
      return [top >= 0, bottom <= 260, box.scrollHeight > box.clientHeight];
    });
  await expect.poll(look).toEqual([true, true, true]);
  await task.confirmReset.click();
  await expect(task.messages).toContainText("was reset");
});

test("makes a waiting task due, and cancels it", async ({ page, store }) => {
  const id = await store.insert({ eventType: "PAY_ORDER", retryCount: 1, dueInMs: 3_600_000, claimNo: 1 });
  const task = new TaskPage(page);
  await task.open(id);
  await expect(page.getByText(/Gives up at/)).toBeVisible();
  await task.button("Run now…").click();
  await task.popover.getByRole("button", { name: "Run 1 task now" }).click();
  await expect(task.messages).toContainText("is due now");
  expect((await store.read(id)).nextRetryTime.getTime()).toBeLessThan(Date.now() + 60_000);
  expect(await store.read(id)).toMatchObject({ status: "pending", retryCount: 1 });

  await task.button("Cancel task…").click();
  await task.popover.getByRole("button", { name: "Cancel 1 task" }).click();
  await expect(task.header).toContainText("Cancelled");
  expect(await store.read(id)).toMatchObject({ status: "cancelled" });
  expect((await store.attempts(id)).map(({ kind }) => kind)).toEqual(["run_now", "cancelled"]);
});

test("follows a task by itself until its end", async ({ page, store }) => {
  const id = await store.insert({ eventType: "PAY_ORDER" });
  const task = new TaskPage(page);
  await task.open(id);
  await store.claim(id);
  await expect(task.header).toContainText("Running");
  await store.run(`UPDATE t_retry_task SET status = 1, finish_reason = 'success' WHERE id = ${id}`);
  await expect(task.header).toContainText("Succeeded");
});

test("tells an archived task from one that never was, and refuses what is no id", async ({ page, store }) => {
  const id = await store.insert(FAILED);
  await archive(store, id);
  await page.goto(`/tasks/${id}`);
  await expect(page.getByText("This task was moved to the archive")).toBeVisible();
  await expect(page.getByRole("link", { name: "Open in the archive" })).toHaveAttribute("href", `/archive/${id}`);
  await page.goto("/tasks/424242");
  await expect(page.getByText("There is no task 424242")).toBeVisible();
  for (const path of ["/tasks/abc", "/tasks/99999999999999999999", "/tasks/%3Cscript%3E"]) {
    expect((await page.goto(path))?.status()).toBe(404);
  }
});

test("draws rounds, the newest five entries first, and loads the older ones", async ({ page, store }) => {
  const id = await store.insert(FAILED);
  const entry = (kind: string, n: number, actor: string) =>
    `(${id}, 'PAY_ORDER', '${kind}', ${n}, ${n}, ${actor}, 'Error: boom ${n}', UTC_TIMESTAMP(3))`;
  const columns = "task_id, event_type, kind, retry_count, claim_no, actor, error, create_time";
  const first = Array.from({ length: 60 }, (_, n) => entry("retried", n + 1, "NULL"));
  const rows = [...first, entry("reset", 60, "'ops.wu'"), entry("retried", 1, "NULL")];
  await store.run(`INSERT INTO t_retry_attempt (${columns}) VALUES ${rows.join(",")}`);
  const task = new TaskPage(page);
  await task.open(id);
  const timeline = task.section("Timeline");
  await expect(timeline.getByText("Round 2", { exact: true })).toBeVisible();
  await expect(timeline).toContainText("Reset by ops.wu");
  await expect(timeline.getByRole("time")).toHaveCount(5);
  await timeline.getByRole("button", { name: "Show all 50+" }).click();
  await expect(timeline.getByText("Round 1", { exact: true })).toBeVisible();
  await timeline.getByRole("button", { name: "Load older entries" }).click();
  await expect(timeline.getByRole("time")).toHaveCount(62);
});

test.describe("payload", () => {
  const SECRET = `{"id":1970670598291982290,"amount":1.10,"amount":2e3,"mobile":"13812345678","password":"hunter2"}`;

  test("CONSOLE 9: keeps 19-digit integers and doubled names, masks what is secret, and reveals it with a reason", async ({
    page,
    request,
    store,
    baseURL,
  }) => {
    const id = await store.insert({ ...FAILED, bizContext: SECRET });
    const task = new TaskPage(page);
    await task.open(id);
    const payload = task.section("Payload");
    for (const text of ["1970670598291982290", "1.10", "2e3", "138••••5678", "this name occurs more than once"]) {
      await expect(payload.getByText(text).first()).toBeVisible();
    }
    await expect(payload).not.toContainText("hunter2");
    const masked = await (await request.get(`/api/v1/tasks/${id}/payload`)).text();
    expect(masked).not.toMatch(/hunter2|13812345678/);
    expect(await (await request.get(`/api/v1/tasks/${id}`)).text()).not.toContain("hunter2");

    await task.button("Reveal…").click();
    const confirm = task.popover.getByRole("button", { name: "Reveal 1 payload" });
    await confirm.click({ force: true });
    await expect(payload, "no reason, no reveal").not.toContainText("hunter2");
    await task.popover.getByLabel("Reason (required)").fill("customer call 17");
    await confirm.click();
    await expect(payload).toContainText("hunter2");
    await payload.getByRole("button", { name: "Raw" }).click();
    await expect(payload.locator("pre")).toHaveText(SECRET);
    await payload.getByRole("searchbox").fill("HUNTER");
    await expect(payload.getByText("1 match")).toBeVisible();
    await task.button("Mask again").click();
    await expect(payload).not.toContainText("hunter2");
    await expect(task.section("Operator actions")).toContainText("customer call 17");
    for (const data of [{}, { reason: " " }]) {
      const headers = { Origin: baseURL ?? "" };
      expect((await request.post(`/api/v1/tasks/${id}/payload/reveal`, { data, headers })).status()).toBe(400);
    }
  });

  test("CONSOLE 9: hides a payload that is not JSON until it is revealed", async ({ page, request, store }) => {
    const id = await store.insert({ ...FAILED, bizContext: "password=hunter2;{" });
    const task = new TaskPage(page);
    await task.open(id);
    const payload = task.section("Payload");
    await expect(payload).toContainText("not JSON, so nobody can tell what in it is secret");
    expect(await (await request.get(`/api/v1/tasks/${id}/payload`)).text()).not.toContain("hunter2");
    expect((await request.get(`/api/v1/tasks/${id}/payload/download`)).status()).toBe(400);
    await task.button("Reveal…").click();
    await task.popover.getByLabel("Reason (required)").fill("why");
    await page.keyboard.press("Control+Enter");
    await expect(payload.locator("pre")).toHaveText("password=hunter2;{");
  });

  test("CONSOLE 9: shows 400 KB on request, offers 1 MB and the largest there can be as a file, exact and masked", async ({
    page,
    request,
    store,
  }) => {
    const filler = (bytes: number) =>
      `{"id":1970670598291982290,"pwd":"x","list":["${`${"a".repeat(99)}","`.repeat(bytes / 102)}"]}`;
    const task = new TaskPage(page);
    const shown = await store.insert({ ...FAILED, bizKey: "shown", bizContext: filler(400_000) });
    await task.open(shown);
    await task.button("Show the payload").click();
    await expect(task.section("Payload").locator("pre")).toContainText("1970670598291982290");
    await expect(task.button("Tree")).toHaveCount(0);
    // The driver writes a parameter as it is: a statement of 16 MB is what the smallest server of the tests takes.
    for (const bytes of [1_000_000, 15_800_000]) {
      const text = filler(bytes);
      const id = await store.insert({ ...FAILED, bizKey: String(bytes), bizContext: text });
      await task.open(id);
      await expect(task.section("Payload")).toContainText("it can be downloaded, not shown");
      const answer = await request.get(`/api/v1/tasks/${id}/payload`);
      expect(await answer.json()).toMatchObject({ isTooLarge: true, bytes: text.length });
      const file = await request.get(`/api/v1/tasks/${id}/payload/download`);
      expect(file.headers()["content-disposition"]).toContain("attachment");
      expect((await file.text()) === text.replace('"pwd":"x"', '"pwd":"••••••"')).toBe(true);
    }
  });

  test("is edited with its masked values kept, checked, compared, and reset in one", async ({ page, store }) => {
    const id = await store.insert({ ...FAILED, bizContext: '{"amount":"1","pwd":"hunter2","id":1970670598291982290}' });
    const task = new TaskPage(page);
    await task.open(id);
    await task.button("Edit and retry…").click();
    const text = task.popover.getByLabel("New payload");
    await expect(text).toHaveValue('{"amount":"1","pwd":"••••••","id":1970670598291982290}');
    await text.fill('{"amount":"2","pwd":"••••••",');
    await expect(task.popover).toContainText("Not JSON at line 1, column 30.");
    await text.fill('{"amount":"2","pwd":"••••••","id":1970670598291982290}');
    await expect(task.popover.getByRole("table")).toContainText('"amount": "1"');
    await expect(task.popover.getByRole("table")).toContainText('"amount": "2"');
    const confirm = task.popover.getByRole("button", { name: "Edit and reset 1 task" });
    await confirm.click({ force: true });
    expect(await store.read(id), "no reason, no edit").toMatchObject({ status: "failed" });
    await task.popover.getByLabel("Reason (required)").fill("wrong amount");
    await text.fill('{"other":"••••••"}');
    await confirm.click();
    await expect(task.popover.getByRole("alert")).toContainText("A masked value stands where none was.");
    await text.fill('{"amount":"2","pwd":"••••••","id":1970670598291982290}');
    await confirm.click();
    await expect(task.messages).toContainText("has its new payload and was reset");
    expect(await store.read(id)).toMatchObject({
      status: "pending",
      retryCount: 0,
      bizContext: '{"amount":"2","pwd":"hunter2","id":1970670598291982290}',
    });
    expect((await store.attempts(id)).map(({ kind }) => kind)).toEqual(["edited", "reset"]);
  });

  test("an edit is refused if a mask was moved or the payload changed meanwhile", async ({
    request,
    store,
    baseURL,
  }) => {
    const id = await store.insert({ ...FAILED, bizContext: '{"pwd":"hunter2","b":1}' });
    const before = await store.read(id);
    const { hash } = (await (await request.get(`/api/v1/tasks/${id}/payload`)).json()) as { hash: string };
    const edit = async (changes: object) => {
      const data = { basedOn: hash, reason: "x", seen: { status: "failed", claimNo: 3 }, ...changes };
      const headers = { Origin: baseURL ?? "" };
      const response = await request.post(`/api/v1/tasks/${id}/edit-retry`, { data, headers });
      return [response.status(), ((await response.json()) as { code: string }).code];
    };
    expect(await edit({ payload: '{"b":"••••••"}' })).toEqual([400, "payload_mask_moved"]);
    expect(await edit({ payload: "{" })).toEqual([400, "payload_not_json"]);
    expect(await edit({ payload: '{"pwd":"••••••","b":1}' })).toEqual([400, "payload_unchanged"]);
    expect(await edit({ payload: "{}", seen: { status: "failed", claimNo: 2 } })).toEqual([409, "task_changed"]);
    expect(await edit({ payload: "{}", basedOn: "0".repeat(64) })).toEqual([409, "task_changed"]);
    expect(await edit({ payload: "{}", eventType: "OTHER" })).toEqual([400, "invalid_input"]);
    expect(await store.read(id)).toEqual(before);
    expect(await store.attempts(id)).toEqual([]);
  });
});

test("X1: shows markup in every text of the page literally and runs none of it", async ({
  page,
  store,
  problems,
  baseURL,
}) => {
  const MARKUP = "<img src=x onerror=alert(1)></script><svg/onload=alert(3)>{{7*7}}";
  const hostile = `\u001b[31m${MARKUP}\u202e`;
  const literal = `‹U+001B›[31m${MARKUP}‹U+202E›`;
  const id = await store.insert({
    ...FAILED,
    eventType: MARKUP.slice(0, 64),
    bizKey: MARKUP,
    bizContext: JSON.stringify({ [MARKUP]: hostile, link: "javascript:alert(4)" }),
    lastError: hostile,
    owner: MARKUP.slice(0, 64),
    origin: MARKUP.slice(0, 64),
    traceParent: MARKUP.slice(0, 64),
  });
  await store.run(
    `INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, owner, actor, detail, error, create_time)
      VALUES (${id}, 'x', 'reset', 3, 3, NULL, ?, ?, NULL, UTC_TIMESTAMP(3)), (${id}, 'x', 'retried', 1, 4, ?, NULL, NULL, ?, UTC_TIMESTAMP(3))`,
    [MARKUP.slice(0, 64), hostile, MARKUP.slice(0, 64), hostile],
  );
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== baseURL) foreign.push(request.url());
  });
  const task = new TaskPage(page);
  await task.open(id);
  await expect(task.heading).toContainText(MARKUP);
  await expect(task.section("Timeline")).toContainText(literal);
  await expect(task.section("Payload")).toContainText(MARKUP);
  await expect(page.getByText(literal).first()).toBeVisible();
  await task.section("Payload").getByRole("button", { name: "Raw" }).click();
  await expect(task.section("Payload").locator("pre")).toContainText("javascript:alert(4)");
  await task.openReset();
  await task.popover.getByLabel("Reason (optional)").fill(MARKUP);
  await task.confirmReset.click();
  await expect(task.section("Operator actions")).toContainText(MARKUP);
  await page.goto(`/tasks/${id}?eventType=${encodeURIComponent(MARKUP)}`);
  await task.heading.waitFor();
  expect(problems).toEqual([]);
  expect(foreign).toEqual([]);
});

for (const [locale, theme] of LOOKS) {
  test(`CONSOLE 9: axe finds nothing serious in ${locale}, ${theme}`, async ({
    page,
    context,
    store,
    baseURL,
    problems,
  }) => {
    // Four times over the page, each looked at whole.
    test.slow();
    const id = await store.insert({ ...FAILED, bizContext: '{"a":{"b":{"c":[1,null]}},"pwd":"x","pwd":"y"}' });
    await store.insert({ eventType: "MAIL", bizKey: "order-7", status: "succeeded" });
    await store.run(
      `INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, owner, error, create_time)
        VALUES (${id}, 'x', 'retried', 1, 1, 'w-1', 'Error: x\\n    at y (z.ts:1:1)', UTC_TIMESTAMP(3)), (${id}, 'x', 'recycled', 1, 2, 'w-1', NULL, UTC_TIMESTAMP(3))`,
    );
    await context.addCookies([
      { name: "redrive_locale", value: locale, url: baseURL ?? "" },
      { name: "redrive_theme", value: theme, url: baseURL ?? "" },
    ]);
    const check = async (what: string) => {
      const { violations } = await new AxeBuilder({ page }).analyze();
      const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      expect(grave.map(({ id: rule, nodes }) => [what, rule, nodes.map(({ html }) => html)])).toEqual([]);
    };
    const task = new TaskPage(page);
    await task.open(id);
    await expect(page.locator("details").first()).toBeVisible();
    await check("page");
    await page.keyboard.press("r");
    await expect(task.popover).toBeVisible();
    await check("reset");
    await page.keyboard.press("Escape");
    await expect(task.popover).toHaveCount(0);
    await page.getByRole("button", { name: /^(Edit and retry|编辑并重试)/ }).click();
    await task.popover.getByRole("textbox").first().fill('{"a":2}');
    await expect(task.popover.getByRole("table")).toBeVisible();
    await check("edit");
    await page.keyboard.press("Escape");
    const pending = await store.insert({ eventType: "PAY_ORDER", retryCount: 1, dueInMs: 60_000 });
    await task.open(pending);
    await check("pending");
    expect(problems).toEqual([]);
  });
}
