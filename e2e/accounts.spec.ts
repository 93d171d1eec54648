import type { Page } from "@playwright/test";
import { chooseFromMenu } from "./support/choose-from-menu.ts";
import { expectToFit } from "./support/expect-to-fit.ts";
import { expect, test } from "./support/fixtures.ts";
import { lookAt } from "./support/look-at.ts";
import { LOOKS } from "./support/looks.ts";

const HOSTILE = `<img src=x onerror=alert(1)>\u202e=cmd|`;
const rowOf = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: new RegExp(`^${name}`) }) });

async function choose(page: Page, name: string, deed: string): Promise<void> {
  await chooseFromMenu(page, page.getByRole("button", { name: `Actions for ${name}` }), deed);
}

test("gives an account another role and event types, which ends what its browsers could do", async ({
  page,
  as,
  store,
}) => {
  for (const type of ["PAY_ORDER", "MAIL"]) await store.registerType(type);
  const other = await as("viewer");
  await page.goto("/accounts");
  await choose(page, other.name, "Role and event types");
  const dialog = page.getByRole("dialog", { name: `Role and event types of ${other.name}` });
  await dialog.getByRole("radio", { name: "Operator" }).check();
  await dialog.getByLabel("Only some event types").check();
  await expect(dialog.getByRole("button", { name: "Save" }), "confined to no type at all").toBeDisabled();
  await expect(dialog.getByRole("checkbox", { name: "MAIL" })).toBeVisible();
  await dialog.getByLabel("Find an event type").fill("pay");
  await expect(dialog.getByRole("checkbox", { name: "MAIL" })).toHaveCount(0);
  await dialog.getByRole("checkbox", { name: "PAY_ORDER" }).check();
  await dialog.getByLabel("Find an event type").fill(" SEND_SMS ");
  await dialog.getByRole("button", { name: "Add SEND_SMS" }).click();
  await expect(dialog.getByText("2 chosen")).toBeVisible();
  await expect(dialog.getByRole("checkbox", { name: "SEND_SMS" }), "not registered, and in the list").toBeChecked();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText(`${other.name} was changed.`)).toBeVisible();
  await expect(rowOf(page, other.name)).toContainText("Operator");
  await expect(rowOf(page, other.name)).toContainText("PAY_ORDER, SEND_SMS");
  expect((await other.request.get("/api/v1/me")).status()).toBe(401);
  const [entry] = await store.rows("SELECT actor, actor_kind, role, object_id, detail, ip FROM t_retry_audit");
  expect(entry).toMatchObject({ actor: "console", actor_kind: "person", role: "admin", object_id: other.id });
  expect(JSON.parse(String(entry?.["detail"]))).toEqual({
    before: { role: "viewer", scopes: null, isDisabled: false },
    after: { role: "operator", scopes: ["PAY_ORDER", "SEND_SMS"], isDisabled: false },
    endedSessions: 1,
  });
});

test("locks an account out and lets it in again, but never the last admin", async ({ page, as }) => {
  const other = await as("operator");
  await page.goto("/accounts");
  await choose(page, other.name, "Disable");
  await page.getByRole("dialog").getByRole("button", { name: "Disable the account" }).click();
  await expect(rowOf(page, other.name)).toContainText("Disabled");
  await expect(page.getByRole("button", { name: `Actions for ${other.name}` })).toBeFocused();
  expect((await other.request.get("/api/v1/me")).status()).toBe(401);
  await choose(page, other.name, "Enable");
  await page.getByRole("dialog").getByRole("button", { name: "Enable the account" }).click();
  await expect(rowOf(page, other.name)).not.toContainText("Disabled");

  await choose(page, "console", "Disable");
  await page.getByRole("dialog").getByRole("button", { name: "Disable the account" }).click();
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("last account that can manage the others");
  await page.keyboard.press("Escape");
  await expect(rowOf(page, "console")).not.toContainText("Disabled");
});

test("two admins who disable each other at once leave one", async ({ request, client, store, baseURL, world }) => {
  const second = await client("admin");
  const headers = { Origin: baseURL ?? "" };
  const disable = (from: typeof request, id: string) =>
    from.patch(`/api/v1/accounts/${id}`, { data: { isDisabled: true }, headers });
  const answers = await Promise.all([disable(request, second.id), disable(second.request, world.admin.id)]);
  expect(answers.map((answer) => answer.status()).sort()).not.toEqual([200, 200]);
  const active = await store.rows("SELECT id FROM t_retry_account WHERE role = 'admin' AND disabled = 0");
  expect(active.length).toBeGreaterThanOrEqual(1);
  await store.run("UPDATE t_retry_account SET disabled = 0 WHERE id = ?", [world.admin.id]);
  await world.signInAgain();
});

test("lists the browsers of an account and signs one out", async ({ page, as }) => {
  const other = await as("viewer");
  await page.goto("/accounts");
  await page.getByRole("button", { name: `${other.name}: 1 signed-in browser` }).click();
  const dialog = page.getByRole("dialog", { name: `Browsers that ${other.name} is signed in with` });
  await expect(dialog.getByRole("rowheader")).toContainText("127.0.0.1");
  await dialog.getByRole("button", { name: /^Sign out / }).click();
  await expect(dialog.getByText("No browser is signed in.")).toBeVisible();
  expect((await other.request.get("/api/v1/me")).status()).toBe(401);
});

test("CONSOLE 3: tells whom the page is not for which role it takes", async ({ as }) => {
  const { page } = await as("operator");
  await page.goto("/accounts");
  const problem = page.getByRole("main").getByRole("alert");
  await expect(problem).toContainText("Your role may not do this.");
  await expect(problem).toContainText("It takes the role Admin.");
  await expect(page.getByRole("main").getByRole("button")).toHaveCount(0);
});

test("refuses a name that is taken, and one that is none", async ({ request, baseURL }) => {
  const make = async (name: string) => {
    const answer = await request.post("/api/v1/accounts", {
      data: { name, role: "viewer" },
      headers: { Origin: baseURL ?? "" },
    });
    return ((await answer.json()) as { code?: string }).code;
  };
  expect(await make("console")).toBe("name_taken");
  expect(await make(HOSTILE)).toBe("name_refused");
  expect(await make("a b")).toBe("name_refused");
  expect(await make("token:nightly")).toBe("name_reserved");
  expect(await make("OIDC:id.example.com")).toBe("name_reserved");
});

test("shows hostile names, event types and browsers literally", async ({ page, as, store, problems }) => {
  const { id } = await as("viewer", [HOSTILE, "T".repeat(64)]);
  await store.run("UPDATE t_retry_account SET name = ? WHERE id = ?", [HOSTILE, id]);
  await store.run("UPDATE t_retry_session SET user_agent = ? WHERE account_id = ?", [HOSTILE, id]);
  await page.goto("/accounts");
  const shown = `<img src=x onerror=alert(1)>‹U+202E›=cmd|`;
  await expect(page.getByRole("rowheader", { name: shown })).toBeVisible();
  await page.getByRole("button", { name: `${shown}: 1 signed-in browser` }).click();
  await expect(page.getByRole("dialog").getByRole("rowheader")).toContainText(shown);
  expect(problems).toEqual([]);
});

test("does all of it by keyboard", async ({ page, as }) => {
  const other = await as("viewer");
  await page.goto("/accounts");
  await page.getByRole("button", { name: `Actions for ${other.name}` }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "Role and event types" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await expect(page.getByRole("radio", { name: "Viewer" })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("radio", { name: "Operator" })).toBeChecked();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("button", { name: `Actions for ${other.name}` })).toBeFocused();
});

for (const [locale, colorScheme] of LOOKS) {
  test(`is accessible with its dialogs in ${locale}, ${colorScheme} (CONSOLE 9)`, async ({ page, as, baseURL }) => {
    await as("operator", ["PAY_ORDER"]);
    await page.context().addCookies([{ name: "redrive_locale", value: locale, url: baseURL ?? "" }]);
    await page.emulateMedia({ colorScheme });
    await page.goto("/accounts");
    await expect(page.getByRole("row").nth(2)).toBeVisible();
    await lookAt(page, "accounts");
    const actions = page.getByRole("row").nth(2).getByRole("button").last();
    for (const position of [0, 1, 2, 3]) {
      await actions.click();
      if (position === 0) await lookAt(page, "account-menu");
      await page.getByRole("menuitem").nth(position).click();
      await expect(page.getByRole("dialog")).toBeVisible();
      await lookAt(page, `account-dialog-${position}`);
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toHaveCount(0);
    }
  });
}

for (const width of [320, 390, 768, 1440]) {
  test(`fits a screen of ${width} px`, async ({ page, as }) => {
    await as("operator", ["T".repeat(64), "U".repeat(64)]);
    await page.setViewportSize({ width, height: 800 });
    await page.goto("/accounts");
    await expect(page.getByRole("button", { name: /^Actions for operator/ })).toBeVisible();
    await expectToFit(page);
  });
}
