import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { insertTaskRow } from "../../db/testing/task-rows.ts";
import { PROBLEM_STATUS } from "./console-error.ts";
import { openRest, type Rest } from "./testing/rest-client.ts";

let rest: Rest;
let tables: string;
let viewer: string;
let scoped: string;
beforeAll(async () => {
  rest = await openRest();
  [viewer, scoped] = [await rest.key("viewer"), await rest.key("operator", ["MAIL"])];
  await rest.test.database.use(async (session) => {
    for (const eventType of ["PAY", "MAIL"]) await insertTaskRow(session, { eventType, status: "failed" });
    const entry = { actor: "a", actorKind: "person", action: "task.reset", objectKind: "task", result: "ok" } as const;
    await insertAudit(session, entry);
  });
  const [rows] = await rest.test.pool.query("SHOW TABLES LIKE 't_retry_%'");
  // Attempts are written down by design: denials, keys of requests, the use of a token.
  const written = new Set(["t_retry_audit", "t_retry_idempotency", "t_retry_api_token"]);
  const names = (rows as Record<string, string>[]).flatMap((row) => Object.values(row));
  tables = names.filter((name) => !written.has(name)).join(", ");
});
afterAll(() => rest.close());

/** Names and values that real input is near to, and those that break careless code. */
const HOSTILE = [
  ...["", "0", "-1", "1", "2", "9223372036854775807", "9223372036854775808", "1e3", "0x10", "NaN", "null", "true"],
  ...["' OR 1=1 -- ", "\\", "%", "_", "\u0000", "\ud800", "\u202e", "🚚", "é", "..", "../../etc/passwd", "__proto__"],
  ...["constructor", "<script>", "failed", "ok", "PAY", "task.reset", "2026-05-01T12:00:00Z", "x".repeat(5_000)],
];
const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary", maxLength: 40 }));
const NAMES = [
  "status",
  "limit",
  "cursor",
  "eventType",
  "id",
  "ids",
  "q",
  "from",
  "to",
  "actor",
  "action",
  "objectKind",
];
const FIELDS = [
  "reason",
  "name",
  "role",
  "scopes",
  "expiresInDays",
  "ids",
  "filter",
  "payload",
  "__proto__",
  "settings",
];
const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...NAMES, "objectId", "result"), text), text), { maxLength: 4 })
  .map((pairs) => pairs.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join("&"));
const json = fc.oneof(
  fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), text), fc.oneof(text, fc.jsonValue()), { maxKeys: 4 }),
  fc.jsonValue(),
);
const body = fc.oneof(
  json.map((value) => JSON.stringify(value)),
  fc.string({ maxLength: 60 }),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => new Uint8Array(bytes)),
  fc.constantFrom(
    "",
    "{",
    "[".repeat(5_000),
    `{"reason":"${"x".repeat(20_000)}"}`,
    '{"a":1,"a":2}',
    "1e999",
    "\ufeff{}",
  ),
);
const headerValue = fc.string({
  unit: fc.constantFrom(..."abcXYZ019 \t!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~é\u00ff"),
  maxLength: 200,
});
const headers = fc.dictionary(
  fc.constantFrom(
    ...["Content-Type", "Idempotency-Key", "If-None-Match", "Origin", "Host", "X-Forwarded-For", "Accept-Language"],
    ...[
      "Cookie",
      "Range",
      "Sec-Fetch-Site",
      "Forwarded",
      "X-Request-Id",
      "Transfer-Encoding",
      "x-middleware-subrequest",
    ],
  ),
  headerValue,
  { maxKeys: 4 },
);
const who = fc.constantFrom("admin", "viewer", "scoped", "nobody", "hostile");

const escaped = (value: string) => encodeURIComponent(value.toWellFormed()).replaceAll("%EF%BF%BD", "%ED%A0%80");

it(
  "no request makes a server error, each answer has its number, and one that is refused or only reads has written nothing",
  { timeout: 60_000 },
  async () => {
    const calls = rest.routes.flatMap(({ path, handlers }) =>
      Object.keys(handlers).map((method) => ({ path, method })),
    );
    expect(calls.length).toBeGreaterThan(8);
    let before = await checksum();
    const statuses = new Map<number, number>();
    const one = fc.record({
      call: fc.constantFrom(...calls),
      query,
      body,
      headers,
      who,
      part: text,
      hostileKey: headerValue,
    });
    await fc.assert(
      fc.asyncProperty(one, async ({ call, query, body, headers, who, part, hostileKey }) => {
        // Segments of dots are gone before any route sees an address.
        const segment = /^\.{0,2}$/.test(part) ? "..." : escaped(part);
        const path = `${call.path.replaceAll(/\{\w+\}/g, segment)}?${query}`;
        const keys: Record<string, string | undefined> = { viewer, scoped, nobody: `rdv_${"x".repeat(43)}` };
        const key = keys[who];
        const more: Record<string, string> = who === "hostile" ? { Authorization: hostileKey } : {};
        const response = await rest.call({
          ...{ method: call.method, path, headers: { ...headers, ...more }, body },
          ...(key === undefined ? {} : { key }),
        });
        const answer = await response.text();
        const seen = { ...call, path, status: response.status, answer: answer.slice(0, 300) };
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        expect(seen.status, JSON.stringify(seen)).toBeLessThan(500);
        expect(response.headers.get("x-request-id"), JSON.stringify(seen)).toMatch(/^[\w-]{8,64}$/);
        if (response.status < 400) {
          const after = await checksum();
          if (call.method === "GET") expect(after, JSON.stringify(seen)).toEqual(before);
          before = after;
          return;
        }
        const problem = JSON.parse(answer) as { code: keyof typeof PROBLEM_STATUS; requestId: string };
        expect([problem.code, PROBLEM_STATUS[problem.code]]).toEqual([problem.code, response.status]);
        expect(answer).not.toMatch(/SELECT|INSERT|node_modules|\bat [\w.]+ \(/);
        expect(await checksum(), JSON.stringify(seen)).toEqual(before);
      }),
      {
        numRuns: 1_500,
        interruptAfterTimeLimit: 20_000,
        // The same requests each time, so that a change is judged by what it changed; FUZZ_SEED looks further.
        seed: Number(process.env["FUZZ_SEED"] ?? 1),
      },
    );
    // It got past the door often enough to mean something.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 403]));
  },
);

async function checksum(): Promise<unknown> {
  const [rows] = await rest.test.pool.query(`CHECKSUM TABLE ${tables}`);
  return rows;
}
