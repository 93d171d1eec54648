import { chooseFromMenu } from "./support/choose-from-menu.ts";
import { expect, test } from "./support/fixtures.ts";
import { TasksPage } from "./support/tasks-page.ts";

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

test("a viewer finds nothing to reset with, neither in a row nor by its key", async ({ store, as }) => {
  const id = await store.insert({ bizKey: "key", status: "failed" });
  const { page } = await as("viewer");
  const tasks = new TasksPage(page);
  await page.goto("/tasks?state=failed");
  await expect(tasks.rows).toHaveCount(1);
  await expect(page.getByRole("button", { name: /^Actions on/ })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Reset/ })).toHaveCount(0);
  await page.keyboard.press("j");
  await expect(tasks.link(id)).toBeFocused();
  await page.keyboard.press("r");
  // The next key is handled after this one: no dialog has taken it.
  await page.keyboard.press("x");
  await expect(page.getByText("1 selected")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("gives the focus back to the button whose menu has led to a dialog", async ({ page, store }) => {
  const id = await store.insert({ bizKey: "key", status: "failed" });
  const tasks = new TasksPage(page);
  await page.goto("/tasks?state=failed");
  for (const [button, item] of [
    [tasks.row(id).getByRole("button", { name: "Actions on key" }), "Reset…"],
    [page.getByRole("button", { name: "Views" }), "Save this view…"],
  ] as const) {
    await chooseFromMenu(page, button, item);
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(button).toBeFocused();
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

test("keeps what can be done with a row in reach, below no other column's heading, in a table wider than its frame", async ({
  page,
  store,
}) => {
  const id = await store.insert({
    bizKey: "order-".padEnd(80, "7"),
    status: "failed",
    retryCount: 3,
    lastError: "boom",
  });
  await page.setViewportSize({ width: 900, height: 800 });
  const tasks = new TasksPage(page);
  await page.goto("/tasks?state=failed");
  await expect(tasks.row(id)).toBeVisible();
  const beyond = await page.locator(".table-frame").evaluate((frame) => frame.scrollWidth - frame.clientWidth);
  expect(beyond).toBeGreaterThan(0);
  for (const left of [0, beyond / 2, beyond]) {
    await page.locator(".table-frame").evaluate((frame, to) => void (frame.scrollLeft = to), left);
    const onTop = await page.locator('.task-list [data-cell="action"]').evaluateAll((cells) =>
      cells.map((cell) => {
        const { x, y, width, height } = cell.getBoundingClientRect();
        return document.elementFromPoint(x + width / 2, y + height / 2)?.closest("th, td") === cell;
      }),
    );
    expect({ left, onTop }).toEqual({ left, onTop: [true, true] });
  }
});
