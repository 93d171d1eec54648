import { expect, test } from "./support/fixtures.ts";
import { TasksPage } from "./support/tasks-page.ts";

test("CONSOLE 3.3: opens a task beside the list, goes to its neighbours, and gives the focus back to its row", async ({
  page,
  store,
  problems,
}) => {
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) {
    ids.push(
      await store.insert({
        bizKey: `key-${n}`,
        status: "failed",
        retryCount: 3,
        lastError: "<img src=x onerror=alert(1)>",
      }),
    );
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

  // Its key comes with its button.
  await expect(tasks.drawer(b).getByRole("button", { name: /^Reset…/ })).toBeVisible();
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

test("CONSOLE 7: what has the focus is not covered by the headings, the actions on a selection or the pages of a phone", async ({
  page,
  store,
}) => {
  for (let n = 0; n < 40; n++) await store.insert({ bizKey: `key-${n}`, status: "failed" });
  const tasks = new TasksPage(page);
  const isCovered = () =>
    page.evaluate(() => {
      const link = document.activeElement?.closest("[data-row-link]");
      if (!link) return "nothing has the focus";
      const { left, top, bottom } = link.getBoundingClientRect();
      const isSeen = (y: number) => link.closest("td")?.contains(document.elementFromPoint(left + 4, y));
      return isSeen(top + 2) && isSeen(bottom - 2) ? "" : link.textContent;
    });
  for (const [width, height] of [
    [800, 640],
    [1280, 600],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto("/tasks?state=failed");
    await expect(tasks.rows).toHaveCount(40);
    await page.getByRole("checkbox", { name: "Select key-39", exact: true }).check();
    await page.getByRole("checkbox", { name: "Select key-38", exact: true }).check();
    const covered: (string | null)[] = [];
    for (const key of ["j", "k"]) {
      for (let n = 1; n < 40; n++) {
        await page.keyboard.press(key);
        covered.push(await isCovered());
      }
    }
    expect({ width, covered: covered.filter((one) => one !== "") }).toEqual({ width, covered: [] });
  }
});

test("keeps the row of the open task in view while its neighbours are opened", async ({ page, store }) => {
  const ids: string[] = [];
  for (let n = 0; n < 40; n++) ids.unshift(await store.insert({ bizKey: `key-${n}`, status: "failed" }));
  const tasks = new TasksPage(page);
  await page.setViewportSize({ width: 1680, height: 720 });
  await page.goto("/tasks?state=failed");
  await tasks.link(ids[0] ?? "").click();
  await expect(tasks.drawer(ids[0] ?? "")).toBeFocused();
  await expect(tasks.link(ids[30] ?? "")).not.toBeInViewport();
  for (const id of ids.slice(1, 31)) {
    await page.keyboard.press("j");
    await expect(tasks.drawer(id)).toBeVisible();
  }
  await expect(tasks.link(ids[30] ?? "")).toBeInViewport({ ratio: 0.9 });
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
