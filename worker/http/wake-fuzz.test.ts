import { request as httpRequest } from "node:http";
import fc from "fast-check";
import { expect, it } from "vitest";
import { silentLogger } from "../engine/logger.ts";
import { CallLog, Scenario } from "../testing/scenario.ts";
import { startHttpServer } from "./http-server.ts";
import { workerRoutes } from "./worker-routes.ts";

const scenario = new Scenario();
const TOKEN = "0123456789abcdef";
/** REDRIVE_FUZZ_RUNS and REDRIVE_FUZZ_SEED: more of it, or another. */
const numRuns = Number(process.env["REDRIVE_FUZZ_RUNS"] ?? 600);
const seed = Number(process.env["REDRIVE_FUZZ_SEED"] ?? 7);

const IDS = ["1", "0", "-1", "1e3", "0x1", "1.5", " 1", "9223372036854775807", "9223372036854775808", "1".repeat(400)];
const id = fc.oneof(
  fc.constantFrom<unknown>(...IDS, 1, 0, -1, 1.5, 2 ** 53, 1e400, null, true, {}, []),
  fc.jsonValue(),
);
const body = fc.oneof(
  fc.record({ ids: fc.array(id, { maxLength: 5 }) }).map((value) => JSON.stringify(value)),
  fc.record({ ids: id, more: fc.jsonValue() }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '{"ids":["1"],"ids":["2"]}',
    '{"__proto__":{"ids":["1"]}}',
    "[".repeat(20_000),
    "",
    "null",
    "\ufeff{}",
  ),
  fc.json(),
  fc.string({ unit: "binary", maxLength: 200 }),
);
const headerText = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 80,
});
const request = fc.record({
  method: fc.constantFrom("POST", "POST", "POST", "GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"),
  path: fc.oneof(
    { weight: 6, arbitrary: fc.constant("/v1/wake") },
    {
      weight: 2,
      arbitrary: fc.constantFrom("/healthz", "/readyz", "/metrics", "/", "//", "/v1/wake/", "/v1/../metrics"),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom("/__proto__", "/constructor", "/%00", "/v1/wake?x=%ff", "/%2e%2e/etc/passwd"),
    },
  ),
  contentType: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("application/json", "application/json; charset=utf-8") },
    { weight: 1, arbitrary: headerText },
  ),
  authorization: fc.oneof(
    { weight: 4, arbitrary: fc.constant(`Bearer ${TOKEN}`) },
    { weight: 1, arbitrary: headerText },
  ),
  requestId: headerText,
  body: fc.oneof(
    body,
    fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
  ),
});

interface Answer {
  readonly status: number;
  readonly requestId: string;
  readonly text: string;
}

function send(port: number, given: typeof request extends fc.Arbitrary<infer Given> ? Given : never): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": given.contentType,
      authorization: given.authorization,
      "x-request-id": given.requestId,
      "content-length": Buffer.byteLength(given.body),
    };
    const sent = httpRequest(
      { host: "127.0.0.1", port, method: given.method, path: given.path, headers },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("end", () => {
          resolve({ status: response.statusCode ?? 0, requestId: String(response.headers["x-request-id"]), text });
        });
      },
    );
    sent.on("error", reject);
    sent.end(given.body);
  });
}

it("no request makes the worker fail, write, or claim what is not due", async () => {
  const log = new CallLog();
  const { engine } = await scenario.start([log.handler({ eventType: "FUZZ" })], { poll: false });
  // Neither is for a wake: one is not due, the other is somebody else's.
  await scenario.insert(
    { id: "1", eventType: "FUZZ", dueInMs: 3_600_000 },
    { id: "2", eventType: "FUZZ", status: "running", owner: "another", claimNo: 1 },
  );
  const before = await scenario.rows("SELECT * FROM t_retry_task");
  const failures: object[] = [];
  const server = await startHttpServer({
    host: "127.0.0.1",
    port: 0,
    routes: workerRoutes({
      engine,
      probe: { look: async () => ({ isReachable: false, error: "not asked here" }) },
      metrics: {
        contentType: "application/openmetrics-text; version=1.0.0; charset=utf-8",
        metrics: async () => "# EOF\n",
      },
      wakeToken: TOKEN,
    }),
    log: { ...silentLogger, error: (fields: object) => void failures.push(fields) },
  });
  const statuses = new Map<number, number>();
  try {
    const property = fc.asyncProperty(request, async (given) => {
      const answer = await send(server.port, given);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      expect(answer.status).not.toBe(500);
      expect(answer.requestId).toMatch(/^[\w.-]{1,64}$/);
      if (answer.status >= 400 && given.method !== "HEAD" && given.path === "/v1/wake") {
        expect(JSON.parse(answer.text)).toMatchObject({ status: answer.status, requestId: answer.requestId });
      }
    });
    await fc.assert(property, { numRuns, seed });
  } finally {
    await server.close();
  }
  expect(failures).toEqual([]);
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 404, 405, 415]));
  expect(await scenario.rows("SELECT * FROM t_retry_task")).toEqual(before);
  expect(log.calls).toEqual([]);
}, 120_000);
