import { request as httpRequest } from "node:http";
import { expect, test } from "./support/fixtures.ts";

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

test("CONSOLE 9: every answer has a number, and what cannot be read is no fault of the server", async ({
  world,
  store,
}) => {
  const { baseUrl: baseURL } = world;
  const id = await store.insert({ status: "failed" });
  const headers = {
    Cookie: `redrive_session=${world.admin.token}`,
    Origin: baseURL,
    "Content-Type": "application/json",
  };
  const post = { method: "POST", body: "{}" };
  for (const [path, sent, status] of [
    ["/api/v1/nowhere", {}, 404],
    ["/api/v1/tasks/1/nowhere", post, 404],
    ["/api/nowhere", { method: "DELETE" }, 404],
    [`/api/v1/tasks/${id}/reset`, { method: "PUT", body: "{}" }, 405],
    [`/api/v1/tasks/${id}/reset`, {}, 405],
    [`/api/v1/tasks/${id}/reset`, { method: "TRACE" }, 204],
    ["/api/v1/tasks/%E0%A4%A/reset", post, 400],
    ["/api/v1/tasks/%", {}, 400],
    ["/api/v1/tasks/%00", {}, 400],
    ["/api/v1/tasks/1%2F2", {}, 400],
    ["/api/v1/tasks?bizKey=%E0%A4%A", {}, 200],
    [`/api/v1/tasks?bizKey=${"x".repeat(9_000)}`, {}, 400],
    ["/tasks/%E0%A4%A", {}, 404],
    ["/tasks", { method: "POST", headers: { "Next-Action": "x" }, body: "[]" }, 400],
    ["/icon.svg", {}, 200],
  ] as const satisfies readonly (readonly [string, Sent, number])[]) {
    const answer = await send(baseURL, path, {
      ...sent,
      headers: { ...headers, ...("headers" in sent && sent.headers) },
    });
    expect([path, answer.status]).toEqual([path, status]);
    expect([path, answer.headers["x-request-id"]]).toEqual([path, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    if (status < 400 || !path.startsWith("/api/") || status === 405) continue;
    const problem = JSON.parse(answer.text) as { requestId: string; status: number };
    expect([path, problem]).toEqual([
      path,
      expect.objectContaining({ status, requestId: answer.headers["x-request-id"] }),
    ]);
  }
  const forged = await send(baseURL, "/api/v1/me", { headers: { ...headers, "X-Redrive-Request": "mine" } });
  expect(forged.headers["x-request-id"]).not.toBe("mine");
  expect(await store.read(id)).toMatchObject({ status: "failed" });
});

test("an export that nobody takes to its end keeps nobody else from one", async ({ world, request, store }) => {
  const { baseUrl: baseURL } = world;
  await store.insert({ status: "failed" });
  const headers = { Cookie: `redrive_session=${world.admin.token}` };
  for (const path of ["/api/v1/tasks.csv", "/api/v1/archive.csv", "/api/v1/audit.csv"]) {
    expect((await send(baseURL, path, { method: "HEAD", headers })).status).toBe(200);
    await expect.poll(async () => (await request.get(path)).status(), `${path} after HEAD`).toBe(200);
    // Who leaves at once, while the first rows are read, and once the answer has begun.
    for (const leave of ["sent", "answered"] as const) {
      await abandon(`${baseURL}${path}`, headers, leave);
      await expect.poll(async () => (await request.get(path)).status(), `${path} left when ${leave}`).toBe(200);
    }
  }
});

test("CONSOLE 9: a body of 30 MB is refused, whichever way it comes", async ({ world, store }) => {
  const { baseUrl: baseURL } = world;
  const id = await store.insert({ status: "failed" });
  const headers = {
    Cookie: `redrive_session=${world.admin.token}`,
    Origin: baseURL,
    "Content-Type": "application/json",
  };
  const body = Buffer.alloc(30_000_000, " ");
  for (const [path, more] of [
    [`/api/v1/tasks/${id}/reset`, {}],
    [`/api/v1/tasks/${id}/reset`, { "Idempotency-Key": "large" }],
    [`/api/v1/tasks/${id}/edit-retry`, {}],
    ["/api/v1/sign-in", {}],
  ] as const) {
    const answer = await send(baseURL, path, { method: "POST", headers: { ...headers, ...more }, body });
    // The console answers without reading on; a sender that does not listen meanwhile sees its connection end.
    expect([413, "ended"]).toContain(answer.status);
    const { status } = await send(baseURL, "/api/v1/overview", { headers: { Cookie: headers.Cookie } });
    expect(status, "the console answers the next one").toBe(200);
  }
  expect(await store.read(id)).toMatchObject({ status: "failed" });
});

test("C4, CONSOLE 9: twelve presses of two operators at once are one reset, one entry, one history", async ({
  client,
  world,
  store,
}) => {
  const { baseUrl: baseURL } = world;
  const id = await store.insert({ eventType: "PAY_ORDER", status: "failed", retryCount: 3 });
  const operators = [await client("operator", ["PAY_ORDER"]), await client("operator")];
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      operators[n % 2]?.request.post(`/api/v1/tasks/${id}/reset`, { data: {}, headers: { Origin: baseURL } }),
    ),
  );
  const statuses = answers.map((answer) => answer?.status() ?? 0).sort();
  expect(statuses).toEqual([200, ...Array.from({ length: 11 }, () => 409)]);
  expect(await store.read(id)).toMatchObject({ status: "pending", retryCount: 0 });
  expect(await store.attempts(id)).toMatchObject([{ kind: "reset" }]);
  expect(
    await store.rows(
      "SELECT result, COUNT(*) AS n FROM t_retry_audit WHERE action = 'task.reset' GROUP BY result ORDER BY result",
    ),
  ).toEqual([
    { result: "failed", n: 11 },
    { result: "ok", n: 1 },
  ]);
});

/** Sends exactly this, which a browser or fetch would mend. */
function send(baseURL: string, path: string, { method = "GET", headers = {}, body }: Sent) {
  const { hostname, port } = new URL(baseURL);
  const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
  interface Answer {
    readonly status: number | "ended";
    readonly headers: Readonly<Record<string, unknown>>;
    readonly text: string;
  }
  return new Promise<Answer>((resolve) => {
    const options = { hostname, port, path, method, headers: { ...headers, ...length } };
    const request = httpRequest(options, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("close", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    request.on("error", () => resolve({ status: "ended", headers: {}, text: "" }));
    request.end(body);
  });
}

/** Asks and leaves: as soon as the request is sent, or with the first bytes of the answer. */
function abandon(url: string, headers: Readonly<Record<string, string>>, leave: "sent" | "answered"): Promise<void> {
  return new Promise((resolve) => {
    const request = httpRequest(url, { headers: { ...headers } }, (response) => response.destroy());
    request.on("error", () => undefined);
    request.on("close", () => resolve());
    request.end(() => leave === "sent" && request.destroy());
  });
}
