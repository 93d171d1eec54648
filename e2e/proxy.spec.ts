import { readFile } from "node:fs/promises";
import { ensureConsoleBuild } from "../scripts/lib/build.mjs";
import { chooseFromMenu } from "./support/choose-from-menu.ts";
import { startConsole } from "./support/console-process.ts";
import { expect, test } from "./support/fixtures.ts";
import { hasNginx, startNginx } from "./support/nginx.ts";

const BASE_PATH = "/console";
const FOLDER = ".next-below";

test.describe("behind nginx, below a path, on two instances without sticky sessions", () => {
  test.skip(!hasNginx(), "nginx is not installed");
  test.beforeAll(async () => {
    test.setTimeout(300_000);
    await ensureConsoleBuild({ basePath: BASE_PATH, folder: FOLDER });
  });

  test("signing in, the list, a reset, a refresh, an export and signing out work (CONSOLE 9)", async ({
    world,
    as,
    request,
    store,
    baseURL,
  }) => {
    test.setTimeout(120_000);
    const proxy = await startNginx(BASE_PATH);
    const environment = {
      ...world.environment,
      REDRIVE_BASE_PATH: BASE_PATH,
      REDRIVE_BUILD_FOLDER: FOLDER,
      REDRIVE_CONSOLE_ORIGIN: proxy.origin,
      REDRIVE_TRUSTED_PROXIES: "127.0.0.1",
    };
    const instances = await Promise.all([
      startConsole(environment, { basePath: BASE_PATH }),
      startConsole(environment, { basePath: BASE_PATH }),
    ]);
    try {
      await proxy.serve(instances.map(({ baseUrl }) => new URL(baseUrl).host));
      const made = await request.post("/api/v1/accounts", {
        data: { name: "ada", role: "operator" },
        headers: { Origin: baseURL ?? "" },
      });
      const { link } = (await made.json()) as { link: { token: string } };
      const id = await store.insert({ eventType: "PAY_ORDER", status: "failed", retryCount: 3 });

      const { page } = await as();
      await page.goto(`${proxy.origin}${BASE_PATH}/sign-in/link#${link.token}`);
      await page.getByLabel("New password", { exact: true }).fill("x7Fp2-kQ9vLm");
      await page.getByLabel("New password again").fill("x7Fp2-kQ9vLm");
      await page.getByRole("button", { name: "Save the password and sign in" }).click();
      await expect(page).toHaveURL(`${proxy.origin}${BASE_PATH}`);
      await chooseFromMenu(page, page.getByRole("button", { name: /^Signed in as ada/ }), "Sign out");
      await expect(page).toHaveURL(`${proxy.origin}${BASE_PATH}/sign-in`);

      await page.goto(`${proxy.origin}${BASE_PATH}/?eventType=PAY_ORDER`);
      await expect(page).toHaveURL(`${proxy.origin}${BASE_PATH}/sign-in?to=%2F%3FeventType%3DPAY_ORDER`);
      const signIn = page.getByRole("button", { name: "Sign in", exact: true });
      // What is filled in before the form's script has begun is lost.
      await expect(signIn).toBeEnabled();
      await page.getByLabel("Name").fill("ada");
      await page.getByLabel("Password").fill("x7Fp2-kQ9vLm");
      await signIn.click();
      await page.getByRole("button", { name: new RegExp(`^Reset task ${id},`) }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Reset 1 task" }).click();
      await expect(page.getByText(`Task ${id} was reset.`)).toBeVisible();
      expect(await store.read(id)).toMatchObject({ status: "pending" });
      expect(await store.rows("SELECT actor, ip FROM t_retry_audit WHERE action = 'task.reset'")).toEqual([
        { actor: "ada", ip: "127.0.0.1" },
      ]);
      await page.goto(`${proxy.origin}${BASE_PATH}/tasks`);
      const row = page.locator(`tr[data-task="${id}"]`);
      await expect(row).toContainText("Pending");
      await store.claim(id);
      await page.getByRole("button", { name: "Refresh now" }).click();
      await expect(row).toContainText("Running");
      const file = page.waitForEvent("download");
      await page.getByRole("link", { name: "CSV" }).click();
      const path = await (await file).path();
      expect(await readFile(path, "utf8")).toContain(`\r\n${id},PAY_ORDER,`);
      expect([...(await proxy.served())].sort()).toEqual(instances.map(({ baseUrl }) => new URL(baseUrl).host).sort());
    } finally {
      await Promise.all(instances.map((instance) => instance.stop()));
      await proxy.stop();
    }
  });
});
