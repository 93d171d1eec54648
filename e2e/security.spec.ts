import { request as httpRequest } from "node:http";
import { startConsole } from "./support/console-process.ts";
import { expect, test } from "./support/fixtures.ts";
import { OverviewPage } from "./support/overview-page.ts";

const MARKUP = [
  `<img src=x onerror=alert(1)>`,
  `</script><script>alert(2)</script>`,
  `"'\`><svg/onload=alert(3)>`,
  `javascript:alert(4)`,
  `{{7*7}}\${7*7}`,
];

test("X1: shows markup in every text literally and runs none of it", async ({ page, store, problems, baseURL }) => {
  const ids: string[] = [];
  for (const text of MARKUP) {
    ids.push(
      await store.insert({
        eventType: text.slice(0, 64),
        bizKey: text,
        status: "failed",
        lastError: `\u001b[31m${text}\u202e`,
      }),
    );
  }
  const overview = new OverviewPage(page);
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== baseURL) foreign.push(request.url());
  });
  await page.goto("/");
  for (const [position, text] of MARKUP.entries()) {
    const row = overview.task(ids[position] ?? "");
    await expect(row.getByText(text, { exact: true }).first()).toBeVisible();
    await expect(row).toContainText(`‹U+001B›[31m${text}‹U+202E›`);
  }
  await overview.resetButton(ids[0] ?? "").click();
  await expect(overview.dialog.getByText(MARKUP[0] ?? "", { exact: true }).first()).toBeVisible();
  await page.keyboard.press("Escape");

  await page.goto(`/?eventType=${encodeURIComponent(MARKUP[1] ?? "")}&cursor=${encodeURIComponent(MARKUP[0] ?? "")}`);
  await expect(overview.failedList.getByRole("alert")).toContainText("The request is not valid.");
  await page.goto(`/?eventType=${encodeURIComponent("<b>nobody</b>")}`);
  await expect(page.getByText("Shown are only failed tasks of <b>nobody</b>.")).toBeVisible();
  expect(problems.filter((problem) => !problem.includes("400 (Bad Request)"))).toEqual([]);
  expect(foreign).toEqual([]);
});

test("X1: forbids inline script on its pages and sends its answers as unsniffed, uncached JSON", async ({
  page,
  request,
  store,
}) => {
  await store.insert({ bizKey: "<script>", status: "failed" });
  const response = await page.goto("/");
  const policy = response?.headers()["content-security-policy"] ?? "";
  expect(policy).toMatch(/script-src 'self' 'nonce-[^']+' 'strict-dynamic'/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy.replace("style-src-attr 'unsafe-inline'", "")).not.toContain("unsafe");
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.injected = true";
    document.body.innerHTML += `<img src="data:," onerror="window.injected = true">`;
    return Reflect.has(window, "injected");
  });
  expect(ran).toBe(false);
  for (const path of ["/api/v1/overview", "/api/v1/tasks?status=failed", "/api/v1/tasks?status=nonsense"]) {
    const headers = (await request.get(path)).headers();
    expect(headers["content-type"]).toMatch(/^application\/(problem\+)?json$/);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["cache-control"]).toBe("no-store");
  }
});

test.describe("X2: reset from elsewhere", () => {
  const json = { "Content-Type": "application/json" };

  for (const { name, method = "POST", status, headers, body = "{}" } of [
    { name: "another site", status: 403, headers: { ...json, Origin: "https://evil.example" } },
    { name: "another port", status: 403, headers: { ...json, Origin: "http://127.0.0.1:1" } },
    { name: "a sandboxed frame", status: 403, headers: { ...json, Origin: "null" } },
    { name: "no origin", status: 403, headers: json },
    { name: "a cross-site fetch", status: 403, headers: { ...json, Origin: "own", "Sec-Fetch-Site": "cross-site" } },
    { name: "a rebound name", status: 403, headers: { ...json, Origin: "http://evil.example", Host: "evil.example" } },
    { name: "a sister site", status: 403, headers: { ...json, Origin: "own", "Sec-Fetch-Site": "same-site" } },
    {
      name: "a skipped proxy",
      status: 403,
      headers: { ...json, Origin: "https://evil.example", "x-middleware-subrequest": "proxy" },
    },
    { name: "a form", status: 415, headers: { "Content-Type": "text/plain", Origin: "own" } },
    {
      name: "a urlencoded form",
      status: 415,
      headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: "own" },
    },
    { name: "GET", method: "GET", status: 405, headers: { ...json, Origin: "own" } },
    { name: "PUT", method: "PUT", status: 405, headers: { ...json, Origin: "own" } },
    { name: "an unknown field", status: 400, headers: { ...json, Origin: "own" }, body: `{"status":"succeeded"}` },
    { name: "no JSON", status: 400, headers: { ...json, Origin: "own" }, body: "reason=x" },
    {
      name: "a huge body",
      status: 413,
      headers: { ...json, Origin: "own" },
      body: `{"reason":"${"x".repeat(20_000)}"}`,
    },
  ] as { name: string; method?: string; status: number; headers: Record<string, string>; body?: string }[]) {
    test(`by ${name} is refused and changes nothing, though the browser is signed in (CONSOLE 9)`, async ({
      baseURL,
      store,
      world,
    }) => {
      const id = await store.insert({ status: "failed", retryCount: 3 });
      const before = await store.read(id);
      const origin = headers["Origin"] === "own" ? baseURL : headers["Origin"];
      const cookie = `redrive_session=${world.admin.token}`;
      const sent = { Cookie: cookie, ...headers, ...(origin === undefined ? {} : { Origin: origin }) };
      expect(await send(`${baseURL}/api/v1/tasks/${id}/reset`, { method, headers: sent, body })).toBe(status);
      expect(await store.read(id)).toEqual(before);
      expect(await store.attempts(id)).toEqual([]);
    });
  }

  test("by a page of another origin is refused by the browser or the console", async ({ page, baseURL, store }) => {
    const id = await store.insert({ status: "failed" });
    await page.route("http://evil.example/", (route) =>
      route.fulfill({ contentType: "text/html", body: "<p>evil</p>" }),
    );
    await page.goto("http://evil.example/");
    const answers = await page.evaluate(async (url) => {
      const call = (init: RequestInit) =>
        fetch(url, { method: "POST", credentials: "include", ...init }).then(String, () => "refused");
      return Promise.all([
        call({ body: "{}", headers: { "Content-Type": "application/json" } }),
        call({ body: "{}", mode: "no-cors" }),
      ]);
    }, `${baseURL}/api/v1/tasks/${id}/reset`);
    expect(answers[0]).toBe("refused");
    expect(await store.read(id)).toMatchObject({ status: "failed" });
  });
});

test("refuses what is no task id with a problem, not with a server error", async ({ request, baseURL }) => {
  for (const id of ["0", "abc", "1e3", "99999999999999999999", "%27%3B--", "1%20OR%201=1"]) {
    const response = await request.post(`/api/v1/tasks/${id}/reset`, { data: {}, headers: { Origin: baseURL ?? "" } });
    expect([id, response.status()]).toEqual([id, 400]);
    expect(await response.json()).toMatchObject({ code: "invalid_input", requestId: expect.any(String) });
  }
  const missing = await request.post("/api/v1/tasks/424242/reset", { data: {}, headers: { Origin: baseURL ?? "" } });
  expect(missing.status()).toBe(404);
});

test("lets a machine in by its whole token only, beside which a session counts for nothing", async ({
  world,
  store,
}) => {
  const token = "an-operator-keeps-this-text-secret";
  const id = await store.insert({ status: "failed" });
  const open = await startConsole({ ...world.environment, REDRIVE_CONSOLE_TOKEN: token });
  try {
    const reset = (headers: Record<string, string>) =>
      send(`${open.baseUrl}/api/v1/tasks/${id}/reset`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: "{}",
      });
    const page = { Origin: open.baseUrl, "Sec-Fetch-Site": "same-origin" };
    expect(await reset(page), "a page of this machine").toBe(401);
    expect(await reset({ Authorization: "Bearer an-operator-keeps-this-text-secre" }), "a wrong token").toBe(401);
    const session = { ...page, Cookie: `redrive_session=${world.admin.token}` };
    expect(await reset({ ...session, Authorization: "Bearer wrong" }), "beside a session").toBe(401);
    expect(await store.read(id)).toMatchObject({ status: "failed" });
    expect(await reset({ Authorization: `Bearer ${token}` })).toBe(200);
    expect(await store.read(id)).toMatchObject({ status: "pending" });
    expect(await store.attempts(id)).toMatchObject([{ actor: "REDRIVE_CONSOLE_TOKEN" }]);
  } finally {
    await open.stop();
  }
});

test("X2: is not opened by a header that skips the proxy of the framework", async ({ baseURL, store }) => {
  const id = await store.insert({ status: "failed" });
  const skipped = { "x-middleware-subrequest": "proxy:proxy:proxy:proxy:proxy", Origin: baseURL ?? "" };
  const url = `${baseURL}/api/v1/tasks/${id}/reset`;
  const headers = { ...skipped, "Content-Type": "application/json" };
  expect(await send(url, { method: "POST", headers, body: "{}" })).toBe(401);
  expect(await send(`${baseURL}/api/v1/overview`, { method: "GET", headers: skipped, body: "" })).toBe(401);
  expect(await send(`${baseURL}/accounts`, { method: "GET", headers: skipped, body: "" })).toBe(307);
  expect(await store.read(id)).toMatchObject({ status: "failed" });
});

test("shows nobody a page or a session under a foreign host name", async ({ baseURL, world }) => {
  const headers = { Host: "rebound.example", Cookie: `redrive_session=${world.admin.token}` };
  expect(await send(`${baseURL}/api/v1/me`, { method: "GET", headers, body: "" })).toBe(403);
  expect(await send(`${baseURL}/`, { method: "GET", headers, body: "" })).toBe(307);
});

/** Sends exactly these headers, which a browser or fetch would not let a test set. */
function send(url: string, init: { method: string; headers: Record<string, string>; body: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: init.method, headers: init.headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject);
    request.end(init.method === "GET" ? undefined : init.body);
  });
}
