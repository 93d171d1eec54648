import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { EngineHealth } from "../engine/index.ts";
import { silentLogger } from "../engine/logger.ts";
import type { DatabaseProbeResult } from "./database-probe.ts";
import { type HttpServer, startHttpServer } from "./http-server.ts";
import { workerRoutes } from "./worker-routes.ts";

const TOKEN = "0123456789abcdef";
const HEALTHY: EngineHealth = {
  state: "running",
  isAlive: true,
  isReadOnly: false,
  sinceBeatMs: 12,
  lastError: undefined,
  pools: {},
};
const UP_TO_DATE = { applied: 3, expected: 3, upToDate: true, newer: false };
const REACHABLE: DatabaseProbeResult = { isReachable: true, migrations: UP_TO_DATE };

const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

interface Given {
  readonly health?: Partial<EngineHealth>;
  readonly probe?: DatabaseProbeResult;
  readonly wakeToken?: string | undefined;
  readonly wake?: (ids: readonly string[]) => Promise<{ claimed: number }>;
}

async function serve(given: Given = {}) {
  const woken: (readonly string[])[] = [];
  const logged: object[] = [];
  const routes = workerRoutes({
    engine: {
      owner: "host-1-abc",
      health: () => ({ ...HEALTHY, ...given.health }),
      wake: async (ids) => {
        woken.push(ids);
        return given.wake ? given.wake(ids) : { claimed: ids.length };
      },
    },
    probe: { look: async () => given.probe ?? REACHABLE },
    metrics: {
      contentType: "application/openmetrics-text; version=1.0.0; charset=utf-8",
      metrics: async () => "# EOF\n",
    },
    wakeToken: "wakeToken" in given ? given.wakeToken : TOKEN,
  });
  const log = { ...silentLogger, error: (fields: object) => void logged.push(fields) };
  const server = await startHttpServer({ host: "127.0.0.1", port: 0, routes, log });
  servers.push(server);
  const url = `http://127.0.0.1:${server.port}`;
  const wake = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}/v1/wake`, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}`, ...headers },
    });
  return { url, port: server.port, wake, woken, logged };
}

describe("GET /healthz and /metrics", () => {
  it("answer 200 while the process lives, whatever the engine does", async () => {
    const { url } = await serve({ health: { state: "stopped", isAlive: false } });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get("content-type")).toMatch(/^application\/openmetrics-text/);
    expect(await metrics.text()).toBe("# EOF\n");
  });

  it("answer HEAD without a body", async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/healthz`, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
  });
});

describe("GET /readyz", () => {
  it("is 200 while every check holds", async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/readyz`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: "ready", checks: { database: { ok: true } } });
  });

  const behind = { applied: 2, expected: 3, upToDate: false, newer: false };
  it.each<[string, Given, string]>([
    ["the database is away", { probe: { isReachable: false, error: "ECONNREFUSED" } }, "database"],
    ["a migration is missing", { probe: { isReachable: true, migrations: behind } }, "migrations"],
    ["the engine has not started", { health: { state: "new", isAlive: false, sinceBeatMs: undefined } }, "engine"],
    ["the engine drains", { health: { state: "draining" } }, "engine"],
    ["its liveness has lapsed", { health: { isAlive: false, sinceBeatMs: 20_000 } }, "liveness"],
    ["the database is read-only", { health: { isReadOnly: true } }, "writable"],
  ])("is 503 and names the check when %s", async (_, given, check) => {
    const { url } = await serve(given);
    const response = await fetch(`${url}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ status: "not_ready", checks: { [check]: { ok: false } } });
  });

  it("D5: stays ready while a newer version of the schema is installed beside it", async () => {
    const newer = { applied: 4, expected: 3, upToDate: false, newer: true };
    const { url } = await serve({ probe: { isReachable: true, migrations: newer } });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });
});

describe("POST /v1/wake", () => {
  it("P2: wakes ids of 19 digits as text, and numbers that are exact, each once", async () => {
    const { wake, woken } = await serve();
    const response = await wake({ ids: ["9007199254740993", "9223372036854775807", 42, "42"] });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ claimed: 3 });
    expect(woken).toEqual([["9007199254740993", "9223372036854775807", "42"]]);
  });

  it.each([
    ["not JSON", "{", 400],
    ["no ids", {}, 400],
    ["an empty list", { ids: [] }, 400],
    ["an unknown key", { ids: ["1"], urgent: true }, 400],
    ["a number beyond 2^53", '{"ids":[9007199254740993]}', 400],
    ["a fraction", { ids: [1.5] }, 400],
    ["zero", { ids: ["0"] }, 400],
    ["a sign", { ids: ["-1"] }, 400],
    ["an id beyond 64 bits", { ids: ["9223372036854775808"] }, 400],
    ["1,001 ids", { ids: Array.from({ length: 1_001 }, (_, index) => String(index + 1)) }, 400],
    ["a body beyond 64 KiB", `{"ids":["1"]${" ".repeat(65_536)}}`, 413],
  ])("refuses %s", async (_, body, status) => {
    const { wake, woken } = await serve();
    const response = await wake(body);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({ status, requestId: response.headers.get("x-request-id") });
    expect(woken).toEqual([]);
  });

  it("takes 1,000 ids and a body of exactly 64 KiB", async () => {
    const { wake } = await serve();
    expect((await wake({ ids: Array.from({ length: 1_000 }, (_, index) => String(index + 1)) })).status).toBe(200);
    expect((await wake('{"ids":["1"]}'.padEnd(65_536))).status).toBe(200);
  });

  it("measures a body that does not tell its length", async () => {
    const { url } = await serve();
    const stream = new ReadableStream({
      start(controller) {
        for (let part = 0; part < 20; part++) controller.enqueue(new TextEncoder().encode(" ".repeat(4_096)));
        controller.close();
      },
    });
    const headers = { "content-type": "application/json", authorization: `Bearer ${TOKEN}` };
    const init = { method: "POST", body: stream, headers, duplex: "half" };
    expect((await fetch(`${url}/v1/wake`, init)).status).toBe(413);
  });

  it.each([
    ["no token", "", 401],
    ["another scheme", `Basic ${TOKEN}`, 401],
    ["a wrong token of the same length", "Bearer fedcba9876543210", 401],
    ["a shorter token", "Bearer 0", 401],
  ])("refuses %s", async (_, authorization, status) => {
    const { wake, woken } = await serve();
    const response = await wake({ ids: ["1"] }, { authorization });
    expect(response.status).toBe(status);
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
    expect(woken).toEqual([]);
  });

  it("is off without a token in the settings, and says which one", async () => {
    const { wake } = await serve({ wakeToken: undefined });
    const response = await wake({ ids: ["1"] });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining("REDRIVE_WAKE_TOKEN") });
  });

  it("refuses another content type", async () => {
    const { wake } = await serve();
    expect((await wake({ ids: ["1"] }, { "content-type": "text/plain" })).status).toBe(415);
  });

  it("answers 503 while the engine takes no tasks or the database is away", async () => {
    const draining = await serve({ health: { state: "draining" } });
    expect((await draining.wake({ ids: ["1"] })).status).toBe(503);
    const lost = Object.assign(new Error("gone"), { code: "ECONNREFUSED" });
    const away = await serve({ wake: async () => Promise.reject(lost) });
    expect((await away.wake({ ids: ["1"] })).status).toBe(503);
  });

  it("answers an unknown error with a request id that is also in the log, and without its text", async () => {
    const { wake, logged } = await serve({ wake: async () => Promise.reject(new Error("secret detail")) });
    const response = await wake({ ids: ["1"] }, { "x-request-id": "trace-7" });
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({ requestId: "trace-7" });
    expect(text).not.toContain("secret detail");
    expect(logged).toEqual([expect.objectContaining({ requestId: "trace-7" })]);
  });
});

describe("the server", () => {
  it.each([
    ["GET", "/", 404, null],
    ["GET", "/constructor", 404, null],
    ["POST", "/healthz", 405, "GET, HEAD"],
    ["DELETE", "/v1/wake", 405, "POST"],
    ["GET", "/v1/wake?ids=1", 405, "POST"],
  ])("answers %s %s with %i", async (method, path, status, allow) => {
    const { url } = await serve();
    const response = await fetch(url + path, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get("allow")).toBe(allow);
    expect(await response.json()).toMatchObject({ status, requestId: expect.stringMatching(/.+/) });
  });

  it("takes no request id that could forge a log line", async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/healthz`, { headers: { "x-request-id": 'a" b' } });
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("says when its port is taken", async () => {
    const { port } = await serve();
    const second = startHttpServer({ host: "127.0.0.1", port, routes: {}, log: silentLogger });
    await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  it("closes although a client keeps its connection open", async () => {
    const server = await startHttpServer({ host: "127.0.0.1", port: 0, routes: {}, log: silentLogger });
    const socket = connect(server.port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.on("error", () => undefined);
    socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\n");
    await server.close();
    socket.destroy();
  });
});
