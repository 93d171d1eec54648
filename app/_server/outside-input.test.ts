import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { insertArchivedRow } from "../../db/testing/archived-rows.ts";
import { insertTaskRow } from "../../db/testing/task-rows.ts";
import { openRest, type Rest, type RestCall } from "./testing/rest-client.ts";

let rest: Rest;
let failed: string;
beforeAll(async () => {
  rest = await openRest();
  await rest.test.database.use(async (session) => {
    for (let n = 0; n < 3; n++) {
      failed = await insertTaskRow(session, { eventType: "PAY", bizKey: `key-${n}`, status: "failed" });
      await insertArchivedRow(session, { id: String(900 + n), eventType: "PAY" });
      const entry = { actor: "ada", actorKind: "person", action: "task.reset", objectKind: "task" } as const;
      await insertAudit(session, { ...entry, eventType: "PAY", result: "ok" });
    }
  });
});
afterAll(() => rest.close());

/** Beyond these years the servers differ: MySQL takes a comparison with such a time for a mistake of the statement. */
const NO_TIMES = [
  ...["0000-01-01T00:00:00Z", "0000-01-01T00:00:00+23:00", "0999-12-31T23:59:59Z", "1969-12-31T23:59:59Z"],
  ...["3000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59-23:00", "+010000-01-01T00:00:00Z"],
  ...["2026-02-29T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01", "yesterday", ""],
];
const TIMES = [
  "1970-01-01T00:00:00Z",
  "1970-01-01T00:00:00+14:00",
  "2999-12-31T23:59:59.999Z",
  "2026-11-01T01:30:00-04:00",
];

const inQuery = (path: string, name: string) => (at: string) => ({ path: `${path}${name}=${encodeURIComponent(at)}` });
const posted = (path: string, body: (at: string) => unknown) => (at: string) => ({
  ...{ method: "POST", path },
  body: body(at),
});

const TAKES_AN_INSTANT: readonly (readonly [string, (at: string) => RestCall])[] = [
  ...["tasks?", "tasks/counts?", "tasks.csv?", "tasks/newer?cursor=x&"].flatMap((path) =>
    ["createdFrom", "createdTo"].map((name) => [`${path}${name}`, inQuery(`/api/v1/${path}`, name)] as const),
  ),
  ["tasks?at, by due time", inQuery("/api/v1/tasks?state=failed&eventType=PAY&", "at")],
  ["tasks?at, by creation", inQuery("/api/v1/tasks?", "at")],
  ...["archive?", "archive/count?", "archive.csv?"].flatMap((path) =>
    ["from", "to"].map((name) => [`${path}${name}`, inQuery(`/api/v1/${path}`, name)] as const),
  ),
  ...["", "/payload", "/replay-check"].map(
    (part) => [`archive/900${part}`, inQuery(`/api/v1/archive/900${part}?`, "archivedAt")] as const,
  ),
  ...["audit?", "audit/count?", "audit.csv?"].flatMap((path) =>
    ["from", "to"].map((name) => [`${path}${name}`, inQuery(`/api/v1/${path}`, name)] as const),
  ),
  ["archive/900/replay", posted("/api/v1/archive/900/replay", (archivedAt) => ({ archivedAt }))],
  ["reset", posted("/api/v1/tasks/424242/reset", (runAt) => ({ runAt }))],
  ...["createdFrom", "createdTo"].map(
    (name) =>
      [
        `dry-run ${name}`,
        posted("/api/v1/bulk/dry-run", (at) => ({ action: "reset", filter: { [name]: at } })),
      ] as const,
  ),
  [
    "bulk seenAt",
    posted("/api/v1/bulk", (seenAt) => ({
      ...{ action: "reset", filter: { bizKey: "nobody" }, name: "n", reason: "r" },
      seenAt,
    })),
  ],
];

describe("CONSOLE 9: an instant from outside", () => {
  it.each(TAKES_AN_INSTANT)("%s: beyond what every server stores it is an invalid request", async (_, callOf) => {
    for (const at of NO_TIMES) {
      const response = await rest.call(callOf(at));
      expect([at, response.status, await codeOf(response)]).toEqual([at, 400, "invalid_input"]);
    }
  });

  it.each(TAKES_AN_INSTANT)("%s: at the ends of what is taken it is no fault", async (_, callOf) => {
    for (const at of TIMES) {
      const response = await rest.call(callOf(at));
      await response.text();
      expect([at, response.status]).toEqual([at, expect.toSatisfy((status: number) => status < 500)]);
    }
  });

  it("a reset for a time that has passed is due now, not for years", async () => {
    const body = { runAt: "1970-01-01T00:00:00Z" };
    expect((await rest.call({ method: "POST", path: `/api/v1/tasks/${failed}/reset`, body })).status).toBe(200);
    const [rows] = await rest.test.pool.query(
      "SELECT 1 FROM t_retry_task WHERE id = ? AND next_retry_time = update_time",
      [failed],
    );
    expect(rows).toHaveLength(1);
    await rest.test.pool.query("UPDATE t_retry_task SET status = 2");
  });
});

describe("CONSOLE 9: a cursor that somebody has changed", () => {
  const LISTS = [
    "/api/v1/tasks?status=failed&limit=1",
    "/api/v1/tasks?state=failed&eventType=PAY&limit=1",
    "/api/v1/tasks?bizKeyPrefix=key&limit=1",
    "/api/v1/tasks?limit=1",
    "/api/v1/archive?eventType=PAY&limit=1",
    "/api/v1/audit?limit=1",
  ];

  it.each(LISTS)("%s: is another place of the same list or an invalid request", async (path) => {
    const page = (await (await rest.call({ path })).json()) as { nextCursor: string };
    const text = Buffer.from(page.nextCursor, "base64url").toString("utf8");
    const elsewhere = await rest.key("operator", ["MAIL"]);
    for (const changed of changesOf(text)) {
      const there = `${path}&cursor=${encodeURIComponent(Buffer.from(changed).toString("base64url"))}`;
      const response = await rest.call({ path: there });
      const answer = await response.text();
      expect([changed, response.status, answer]).toEqual([
        changed,
        expect.toSatisfy((status: number) => status === 200 || status === 400),
        expect.not.stringContaining("unexpected"),
      ]);
      const own = await rest.call({ path: there.replace("eventType=PAY", "eventType=MAIL"), key: elsewhere });
      expect(await own.text(), "never a way to what its asker may not see").not.toMatch(/"bizKey":"key-|"PAY"/);
    }
  });

  /** Each digit as a 9, each end cut off, and what is no cursor at all. */
  function* changesOf(text: string): Generator<string> {
    for (let at = 0; at < text.length; at++) {
      if (/[0-8]/.test(text[at] ?? "")) yield `${text.slice(0, at)}9${text.slice(at + 1)}`;
    }
    yield text.slice(1);
    yield text.slice(0, -1);
    yield text.replace(/\d{2}-\d{2} /, "02-30 ");
    yield `${text}\u0000`;
    yield "[]";
    yield "null";
    yield "";
  }
});

async function codeOf(response: Response): Promise<string | undefined> {
  return ((await response.json()) as { code?: string }).code;
}
