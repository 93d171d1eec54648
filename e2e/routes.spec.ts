import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { APIRequestContext } from "@playwright/test";
import { chooseFromMenu } from "./support/choose-from-menu.ts";
import { type ConsoleProcess, startConsole } from "./support/console-process.ts";
import { expect, test } from "./support/fixtures.ts";
import { type RouteEntry, ROLES_OF, ROUTES } from "./support/route-table.ts";

const APP = fileURLToPath(new URL("../app", import.meta.url));
const EVENT_TYPE = "PAY_ORDER";
const nameOf = ({ method, path }: RouteEntry) => `${method} ${path}`;
const CHANGES = ROUTES.filter(({ method, permission }) => method !== "GET" && permission !== undefined);
const READS = ROUTES.filter(({ method, permission }) => method === "GET" && permission !== undefined);

test("every route of app/api is in the table of routes, and no other (CONSOLE 9)", () => {
  const found = readdirSync(join(APP, "api"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("route.ts"))
    .flatMap((file) => {
      const code = readFileSync(join(APP, "api", file), "utf8");
      const path = `/api/${file.replace(/\/route\.ts$/, "")}`;
      return [...code.matchAll(/^export (?:const|async function|function) (GET|HEAD|POST|PUT|PATCH|DELETE)\b/gm)].map(
        ([, method]) => `${method ?? ""} ${path}`,
      );
    });
  expect(ROUTES.map(nameOf).sort()).toEqual(found.sort());
});

test.describe("a change", () => {
  for (const entry of CHANGES) {
    test(`by ${nameOf(entry)} is refused to whom it is not granted, and then changes no row (CONSOLE 9)`, async ({
      client,
      baseURL,
      store,
    }) => {
      const target = {
        task: await store.insert({ eventType: EVENT_TYPE, status: "failed", retryCount: 3 }),
        account: (await client("viewer")).id,
      };
      const allowed: readonly string[] = entry.permission ? ROLES_OF[entry.permission] : [];
      const askers = [
        ["nobody", await client(), 401],
        ...(await Promise.all(
          (["viewer", "operator", "auditor"] as const)
            .filter((role) => !allowed.includes(role))
            .map(async (role) => [role, await client(role), 403] as const),
        )),
        ...(entry.isScoped ? [["an operator of another type", await client("operator", ["OTHER"]), 403] as const] : []),
        ...(entry.needsAllTypes ? [["an admin of one type", await client("admin", [EVENT_TYPE]), 403] as const] : []),
      ] as const;
      const before = await store.checksums();
      for (const [who, { request }, status] of askers) {
        expect([who, await ask(request, entry, { baseURL, target })]).toEqual([who, status]);
      }
      expect(await store.checksums()).toEqual(before);
    });
  }

  for (const entry of CHANGES.filter(({ isScoped }) => isScoped)) {
    test(`by ${nameOf(entry)} is granted to an operator of its type`, async ({ client, baseURL, store }) => {
      const target = { task: await store.insert({ eventType: EVENT_TYPE, status: "failed" }), account: "1" };
      await store.archive({ id: "900000", eventType: EVENT_TYPE, status: "failed" });
      const { request } = await client("operator", [EVENT_TYPE]);
      expect(await ask(request, entry, { baseURL, target })).toBeLessThan(300);
    });
  }
});

test.describe("a person who was asked too long ago", () => {
  for (const entry of CHANGES.filter(({ asksAgain }) => asksAgain)) {
    test(`is asked again by ${nameOf(entry)}, and nothing is done before`, async ({ client, baseURL, store }) => {
      const target = { task: await store.insert({ eventType: EVENT_TYPE }), account: (await client("viewer")).id };
      const { request, id } = await client("admin");
      const before = await store.checksums();
      await store.run("UPDATE t_retry_session SET confirmed_time = TIMESTAMPADD(MINUTE, -10, confirmed_time)");
      const answer = await send(request, entry, { baseURL, target });
      expect([answer.status(), await answer.json()]).toMatchObject([
        403,
        { code: "step_up_required", by: "password", confirmMinutes: 10 },
      ]);
      expect(await store.checksums()).toEqual(before);
      await store.run(`UPDATE t_retry_session SET confirmed_time = ${store.clock} WHERE account_id = ?`, [id]);
      expect(((await (await send(request, entry, { baseURL, target })).json()) as { code?: string }).code).not.toBe(
        "step_up_required",
      );
    });
  }

  test("is not asked again by any other change of the table", async ({ client, baseURL, store }) => {
    const target = {
      task: await store.insert({ eventType: EVENT_TYPE, status: "failed" }),
      // Not the admin of the tests, whose sessions one of the changes ends.
      account: (await client("viewer")).id,
    };
    for (const entry of CHANGES.filter(({ asksAgain }) => !asksAgain)) {
      const { request } = await client("admin");
      await store.run("UPDATE t_retry_session SET confirmed_time = TIMESTAMPADD(MINUTE, -10, confirmed_time)");
      const { code } = (await (await send(request, entry, { baseURL, target })).json()) as { code?: string };
      expect([nameOf(entry), code]).not.toEqual([nameOf(entry), "step_up_required"]);
    }
  });
});

test.describe("while the console is read-only", () => {
  let readOnly: ConsoleProcess;
  test.beforeAll(async ({ world }) => {
    readOnly = await startConsole({ ...world.environment, REDRIVE_READ_ONLY: "1" });
  });
  test.afterAll(() => readOnly.stop());

  test("an admin changes nothing, by whichever route, but signs in and out (CONSOLE 9)", async ({ request, store }) => {
    const target = {
      task: await store.insert({ eventType: EVENT_TYPE, status: "failed" }),
      account: "1",
    };
    const before = await store.checksums();
    for (const entry of ROUTES.filter(({ method, evenReadOnly }) => method !== "GET" && !evenReadOnly)) {
      const answer = await send(request, entry, { baseURL: readOnly.baseUrl, target });
      const { code } = (await answer.json()) as { code?: string };
      const expected = { status: 403, code: "read_only" };
      expect([nameOf(entry), { status: answer.status(), code }]).toEqual([nameOf(entry), expected]);
    }
    expect(await store.checksums()).toEqual(before);
  });

  test("its pages say so, and can be left", async ({ as }) => {
    const { page } = await as("operator");
    await page.goto(`${readOnly.baseUrl}/`);
    await expect(page.getByText("The console is read-only")).toBeVisible();
    await chooseFromMenu(page, page.getByRole("button", { name: /^Signed in as operator-/ }), "Sign out");
    await expect(page).toHaveURL(`${readOnly.baseUrl}/sign-in`);
  });
});

test("nothing is read by nobody, and what a role may not see is refused to it", async ({ client, baseURL, store }) => {
  const target = { task: await store.insert({ eventType: EVENT_TYPE }), account: (await client("viewer")).id };
  const nobody = await client();
  const others = await Promise.all(
    (["viewer", "operator", "auditor"] as const).map(async (role) => [role, await client(role)] as const),
  );
  for (const entry of READS) {
    expect([nameOf(entry), await ask(nobody.request, entry, { baseURL, target })]).toEqual([nameOf(entry), 401]);
    const allowed: readonly string[] = entry.permission ? ROLES_OF[entry.permission] : [];
    for (const [role, { request }] of others.filter(([one]) => !allowed.includes(one))) {
      const status = await ask(request, entry, { baseURL, target });
      expect([nameOf(entry), role, status]).toEqual([nameOf(entry), role, 403]);
    }
  }
});

test("a person confined to some event types sees nothing of the others", async ({ client, store }) => {
  await store.insert({ eventType: EVENT_TYPE, status: "failed" });
  const id = await store.insert({ eventType: "OTHER", status: "failed" });
  const { request } = await client("viewer", ["OTHER"]);
  const overview = (await (await request.get("/api/v1/overview")).json()) as { eventTypes: { eventType: string }[] };
  expect(overview.eventTypes.map(({ eventType }) => eventType)).toEqual(["OTHER"]);
  const list = (await (await request.get("/api/v1/tasks?status=failed")).json()) as { items: { id: string }[] };
  expect(list.items.map((item) => item.id)).toEqual([id]);
  expect((await request.get(`/api/v1/tasks?status=failed&eventType=${EVENT_TYPE}`)).status()).toBe(403);
});

interface Aim {
  readonly baseURL: string | undefined;
  readonly target: Readonly<Record<"task" | "account", string>>;
}

async function ask(request: APIRequestContext, entry: RouteEntry, aim: Aim): Promise<number> {
  return (await send(request, entry, aim)).status();
}

function send(request: APIRequestContext, entry: RouteEntry, { baseURL = "", target }: Aim) {
  const path = entry.path.replace(/\[(\w+)\]/g, (_, part: string) => {
    const sample = entry.sample?.[part] ?? "";
    return sample === "task" || sample === "account" ? target[sample] : sample;
  });
  return request.fetch(`${baseURL}${path}`, {
    method: entry.method,
    headers: { Origin: new URL(baseURL).origin, "Content-Type": "application/json" },
    ...(entry.method === "GET" ? {} : { data: entry.body ?? {} }),
  });
}
