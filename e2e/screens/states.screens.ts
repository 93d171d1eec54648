import type { Page } from "@playwright/test";
import { type Store, test } from "../support/fixtures.ts";
import { LOOKS } from "../support/looks.ts";
import { openMenu } from "../support/choose-from-menu.ts";
import { seedBulkActions } from "../support/seed-bulk.ts";
import { SCENE_TYPES, seedScene } from "../support/seed-scene.ts";
import { takePictures } from "./take-pictures.ts";

/** What stands above a page, and how a page looks when it has nothing to show, waits, fails or grows old. */
interface State {
  readonly name: string;
  readonly path: string;
  readonly seed?: (store: Store) => Promise<void>;
  readonly act?: (page: Page) => Promise<void>;
  /** The whole page; default: what a person sees at once. */
  readonly isWhole?: true;
  readonly widths?: readonly number[];
}

const FAILED = "/tasks/1970670598291001870";
const ARCHIVED_FAILED = "/archive/1970670598000000000";
const ARCHIVED_SUCCEEDED = "/archive/1970670598000000001";

/** The same words in both languages. */
const words = (...texts: string[]) => new RegExp(`^(${texts.join("|")})`);
const button = (page: Page, ...texts: string[]) => page.getByRole("button", { name: words(...texts) }).first();
const dialogButton = (page: Page, ...texts: string[]) =>
  page.getByRole("dialog").getByRole("button", { name: words(...texts) });

async function press(page: Page, ...texts: string[]): Promise<void> {
  await button(page, ...texts).click();
}

async function pressForDialog(page: Page, ...texts: string[]): Promise<void> {
  await press(page, ...texts);
  await page.getByRole("dialog").waitFor();
  await page.waitForLoadState("networkidle");
}

/** Every question to the server stays without an answer. */
async function hang(page: Page): Promise<void> {
  await page.route("**/api/v1/**", () => undefined);
  await page.reload({ waitUntil: "load" });
  await page.unroute("**/api/v1/**");
}

/** Every question fails as it does when the database is away. */
async function fail(page: Page): Promise<void> {
  const body = {
    code: "database_unavailable",
    status: 503,
    title: "x",
    requestId: "7f1f0a52-55d5-4b39-8f8b-0a6a1c4b2d11",
  };
  await page.route("**/api/v1/**", (route) =>
    route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify(body) }),
  );
  await page.reload({ waitUntil: "networkidle" });
  await page.unroute("**/api/v1/**");
}

/** What is shown can no longer be refreshed. */
async function grow(page: Page, ...buttons: string[]): Promise<void> {
  await page.route("**/api/v1/**", (route) => route.abort());
  await press(page, ...buttons);
  await page
    .getByText(/What you see may be old|可能已过时/)
    .first()
    .waitFor();
  await page.unroute("**/api/v1/**");
}

const quietTypes = async (store: Store) => {
  for (const { name } of SCENE_TYPES) await store.registerType(name);
  await store.insert({ eventType: "SEND_SMS", status: "succeeded" });
};

const manyLongRows = async (store: Store) => {
  const long = "tenant-0042/region-eu-central-1/order-2026-09-24T14:03:20.123Z/line-000000000017/attempt";
  await store.registerType("com.example.billing.InvoiceSettlementReconciliationRequested");
  for (let n = 0; n < 200; n++) {
    await store.insert({
      eventType: "com.example.billing.InvoiceSettlementReconciliationRequested",
      bizKey: `${long}-${n}`,
      status: n % 3 === 0 ? "failed" : "pending",
      retryCount: n % 3 === 0 ? 3 : 0,
      dueInMs: (n % 7) * 3_600_000 - 400_000_000,
      ...(n % 3 === 0
        ? { lastError: `java.lang.IllegalStateException: ${"no answer from settlement ".repeat(8)}` }
        : {}),
    });
  }
};

const STATES: readonly State[] = [
  { name: "overview-onboarding", path: "/", seed: async () => undefined },
  { name: "overview-calm", path: "/", seed: quietTypes, isWhole: true },
  { name: "overview-loading", path: "/", act: hang },
  { name: "overview-error", path: "/", act: fail },
  { name: "overview-stale", path: "/", act: (page) => grow(page, "Refresh now", "立即刷新") },
  { name: "overview-tables", path: "/?range=1h", isWhole: true, act: (page) => press(page, "Tables", "表格") },
  { name: "overview-7d", path: "/?range=7d", isWhole: true },
  {
    name: "overview-tooltip",
    path: "/?range=6h",
    act: async (page) => {
      const chart = page.locator(".recharts-surface").nth(1);
      await chart.scrollIntoViewIfNeeded();
      const box = await chart.boundingBox();
      if (box) await page.mouse.move(box.x + box.width * 0.93, box.y + box.height * 0.3);
      await page.locator(".recharts-tooltip-wrapper").first().waitFor();
    },
  },
  { name: "overview-big", path: "/", act: showBigNumbers },
  { name: "tasks-filter", path: "/tasks?state=failed", act: (page) => pressForDialog(page, "Filter", "筛选") },
  {
    name: "tasks-views",
    path: "/tasks",
    act: async (page) => void (await openMenu(page, button(page, "Views", "视图"), words("Needs", "等待"))),
  },
  { name: "tasks-display", path: "/tasks", act: (page) => press(page, "Display", "显示") },
  { name: "tasks-row-menu", path: "/tasks?state=failed", act: (page) => press(page, "Actions on", "order-.* 的操作") },
  {
    name: "tasks-selected",
    path: "/tasks?state=failed",
    act: async (page) => {
      for (const n of [1, 2, 4]) await page.locator("tr[data-task] input").nth(n).check();
    },
  },
  {
    name: "tasks-reset",
    path: "/tasks?state=failed",
    widths: [1440],
    act: (page) => pressForDialog(page, "Reset task", "重置任务"),
  },
  {
    name: "tasks-drawer",
    path: "/tasks?state=failed",
    widths: [1440, 1680],
    act: async (page) => {
      await page.locator("[data-row-link]").nth(2).click();
      await page
        .getByRole("region", { name: /^(Task|任务) \d+$/ })
        .getByRole("heading")
        .first()
        .waitFor();
      await page.waitForLoadState("networkidle");
    },
  },
  {
    name: "tasks-chips",
    path: "/tasks?state=failed&eventType=PAY_ORDER%2CCREDIT_GRANT&minAttempts=3&bizKeyPrefix=order-2026&cause=9f1c20d7a4b35e68",
  },
  { name: "tasks-filtered-empty", path: "/tasks?state=failed&eventType=SEND_SMS&bizKeyPrefix=nothing" },
  { name: "tasks-good-empty", path: "/tasks?state=failed", seed: quietTypes },
  { name: "tasks-none", path: "/tasks", seed: async () => undefined },
  { name: "tasks-loading", path: "/tasks", act: hang },
  { name: "tasks-error", path: "/tasks?eventType=PAY_ORDER", act: fail },
  { name: "tasks-stale", path: "/tasks", act: (page) => grow(page, "Refresh now", "立即刷新") },
  { name: "tasks-long", path: "/tasks?limit=200", seed: manyLongRows },
  {
    name: "tasks-all-columns",
    path: "/tasks?columns=state,eventType,bizKey,id,attempts,error,time,worker,updated,created,strategy,interval,recycled,trace,origin",
  },
  { name: "tasks-retrying", path: "/tasks?state=retrying" },
  { name: "tasks-running", path: "/tasks?state=running" },
  { name: "task-pending", path: "/tasks/1970670598291000731", isWhole: true },
  { name: "task-running", path: "/tasks/1970670598291001717", isWhole: true },
  { name: "task-reset", path: FAILED, act: (page) => pressForDialog(page, "Reset…", "重置…") },
  { name: "task-cancel", path: FAILED, act: (page) => pressForDialog(page, "Cancel task…", "取消任务…") },
  { name: "task-edit", path: FAILED, act: (page) => pressForDialog(page, "Edit and retry…", "编辑并重试…") },
  { name: "task-absent", path: "/tasks/4711" },
  { name: "task-archived", path: "/tasks/1970670598000000000" },
  { name: "task-loading", path: FAILED, act: hang },
  { name: "task-error", path: FAILED, act: fail },
  {
    name: "causes-panel",
    path: "/causes",
    act: async (page) => {
      await pressForDialog(page, "Reset \\d+", "重置 \\d+");
      await page.getByRole("dialog").getByRole("checkbox").check();
    },
  },
  {
    name: "causes-panel-asking",
    path: "/causes",
    act: async (page) => {
      await pressForDialog(page, "Reset \\d+", "重置 \\d+");
      await page.getByRole("dialog").getByRole("textbox").nth(0).fill("INC-2041");
      await page.getByRole("dialog").getByRole("textbox").nth(1).fill("credit-core is back");
      await dialogButton(page, "Reset \\d+", "重置 \\d+").click();
    },
  },
  { name: "causes-empty", path: "/causes", seed: quietTypes },
  { name: "causes-loading", path: "/causes", act: hang },
  { name: "bulk-all", path: "/bulk", isWhole: true, seed: withBulk },
  ...[101, 102, 103, 104, 105, 106, 108, 109].map((id): State => ({
    name: `bulk-${id}`,
    path: `/bulk/${id}`,
    isWhole: true,
    seed: withBulk,
  })),
  { name: "bulk-abort", path: "/bulk/102", seed: withBulk, act: (page) => pressForDialog(page, "Abort", "中止") },
  { name: "bulk-revert", path: "/bulk/108", seed: withBulk, act: (page) => pressForDialog(page, "Revert", "回退") },
  { name: "bulk-absent", path: "/bulk/4711" },
  { name: "archive-filtered", path: "/archive?state=failed&eventType=PAY_ORDER" },
  { name: "archive-empty", path: "/archive?bizKey=nothing" },
  { name: "archive-none", path: "/archive", seed: async () => undefined },
  { name: "archive-loading", path: "/archive", act: hang },
  { name: "archive-error", path: "/archive", act: fail },
  { name: "archived-task", path: ARCHIVED_FAILED, isWhole: true },
  { name: "archived-replay", path: ARCHIVED_FAILED, act: (page) => pressForDialog(page, "Replay…", "重放…") },
  {
    name: "archived-replay-edit",
    path: ARCHIVED_SUCCEEDED,
    act: async (page) => {
      await pressForDialog(page, "Replay…", "重放…");
      await page.getByRole("dialog").getByRole("radio").nth(1).check();
      const fields = page.getByRole("dialog").getByRole("textbox");
      await fields.nth(1).waitFor();
      await fields.first().fill('{"orderId":"1"}');
    },
  },
  { name: "archived-absent", path: "/archive/4711" },
  { name: "audit-entry", path: "/audit", act: (page) => pressForDialog(page, "Reset task", "重置任务") },
  { name: "audit-filters", path: "/audit?actor=ops.lin&result=ok" },
  { name: "audit-empty", path: "/audit?actor=nobody" },
  { name: "accounts-new", path: "/accounts", act: (page) => pressForDialog(page, "New account", "新建账号") },
  { name: "accounts-menu", path: "/accounts", act: (page) => press(page, "Actions for", "console 的操作") },
  { name: "tokens-new", path: "/tokens", act: (page) => pressForDialog(page, "New token", "新建令牌") },
  {
    name: "tokens-made",
    path: "/tokens",
    act: async (page) => {
      await pressForDialog(page, "New token", "新建令牌");
      await page.getByRole("dialog").getByRole("textbox").first().fill(`nightly-${Date.now()}`);
      await dialogButton(page, "Create", "创建").click();
      await page.getByRole("dialog").locator("input[readonly], code, textarea").first().waitFor();
    },
  },
  {
    name: "palette",
    path: "/",
    act: async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("option").first().waitFor();
    },
  },
  { name: "keys", path: "/", widths: [1440], act: (page) => pressForDialog(page, "Keys", "快捷键") },
  {
    name: "own-menu",
    path: "/",
    act: async (page) => void (await openMenu(page, button(page, "Signed in", "已登录"), words("Sign out", "退出"))),
  },
  {
    name: "more-menu",
    path: "/",
    widths: [390],
    act: async (page) => void (await openMenu(page, button(page, "More", "更多"), words("Audit", "审计"))),
  },
  {
    name: "collapsed",
    path: "/tasks",
    widths: [1440],
    act: async (page) => {
      // It stays collapsed for the pictures in the next language.
      if ((await button(page, "Expand", "展开").count()) === 0) await press(page, "Collapse", "收起");
    },
  },
  { name: "not-found", path: "/nothing-here" },
  { name: "zoomed-overview", path: "/", widths: [720, 320], isWhole: true },
  { name: "zoomed-tasks", path: "/tasks?state=failed", widths: [720, 320] },
  { name: "zoomed-task", path: FAILED, widths: [720, 320], isWhole: true },
  { name: "zoomed-causes", path: "/causes", widths: [720, 320] },
  { name: "zoomed-bulk", path: "/bulk/101", widths: [720, 320], seed: withBulk, isWhole: true },
  { name: "zoomed-archive", path: "/archive", widths: [720, 320] },
  { name: "zoomed-audit", path: "/audit", widths: [720, 320] },
  { name: "zoomed-tokens", path: "/tokens", widths: [720, 320] },
  { name: "zoomed-accounts", path: "/accounts", widths: [720, 320] },
];

async function withBulk(store: Store): Promise<void> {
  await seedScene(store);
  await seedBulkActions(store);
}

/** Numbers as large as a bad week makes them. */
async function showBigNumbers(page: Page): Promise<void> {
  await page.route("**/api/v1/overview*", async (route) => {
    const answer = (await (await route.fetch()).json()) as { eventTypes: Record<string, number>[] };
    const eventTypes = answer.eventTypes.map((type, n) => ({
      ...type,
      pending: 12_400_000 >> n,
      due: 9_100_000 >> n,
      running: 61_000 >> n,
      failed: 5_400_000 >> n,
      recycled1h: 48_000 >> n,
      recycled24h: 1_150_000 >> n,
      oldestDueAgeMs: 400 * 86_400_000 + 13 * 3_600_000,
    }));
    await route.fulfill({ json: { ...answer, countMax: 100_000_000, eventTypes } });
  });
  await page.reload({ waitUntil: "networkidle" });
  await page.unroute("**/api/v1/overview*");
}

for (const { name, path, seed = seedScene, act, isWhole = false, widths = [1440, 390] } of STATES) {
  test(`pictures of ${name}`, async ({ page, store }) => {
    test.setTimeout(240_000);
    await seed(store);
    await takePictures(page, { name, path, looks: LOOKS, widths, isWhole, act });
  });
}

test("pictures of forbidden", async ({ as }) => {
  const { page } = await as("viewer");
  await takePictures(page, { name: "forbidden", path: "/accounts", looks: LOOKS, widths: [1440, 390], isWhole: false });
});

test("pictures of sign-in", async ({ as }) => {
  const { page } = await as();
  await takePictures(page, { name: "sign-in", path: "/sign-in", looks: LOOKS, widths: [1440, 390], isWhole: false });
});
