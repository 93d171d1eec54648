import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { insertAudit, type NewAudit } from "../../db/queries/insert-audit.ts";
import { insertTaskRow } from "../../db/testing/task-rows.ts";
import type { AuditPage } from "./audit-schema.ts";
import { openRest, type Rest } from "./testing/rest-client.ts";

let rest: Rest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());
beforeEach(async () => {
  for (const table of ["task", "audit"]) await rest.test.pool.query(`DELETE FROM t_retry_${table}`);
});

const ENTRY: NewAudit = { actor: "ada", actorKind: "person", action: "task.reset", objectKind: "task", result: "ok" };
const add = (entry: Partial<NewAudit>) =>
  rest.test.database.use((session) => insertAudit(session, { ...ENTRY, ...entry }));
const list = async (query = "", key?: string) => {
  const response = await rest.call({ path: `/api/v1/audit${query}`, ...(key === undefined ? {} : { key }) });
  expect(response.status).toBe(200);
  return (await response.json()) as AuditPage;
};
const entries = async () => (await list("?limit=200")).items;

describe("the audit log", () => {
  it("is read page by page with cursors that go with their filter only", async () => {
    for (let n = 0; n < 5; n++) await add({ objectId: String(n), eventType: n % 2 ? "PAY" : "MAIL" });
    const first = await list("?limit=2");
    expect(first.items.map(({ objectId }) => objectId)).toEqual(["4", "3"]);
    expect(first.prevCursor).toBeUndefined();
    const second = await list(`?limit=2&cursor=${first.nextCursor}`);
    expect(second.items.map(({ objectId }) => objectId)).toEqual(["2", "1"]);
    const back = await list(`?limit=2&cursor=${second.prevCursor}`);
    expect(back.items).toEqual(first.items);
    for (const cursor of [first.nextCursor, "nonsense", ""]) {
      const refused = await rest.call({ path: `/api/v1/audit?limit=2&eventType=PAY&cursor=${cursor}` });
      expect([refused.status, await refused.json()]).toMatchObject([400, { code: "invalid_input" }]);
    }
    expect(await (await rest.call({ path: "/api/v1/audit/count?eventType=PAY" })).json()).toEqual({
      count: 2,
      isCapped: false,
    });
  });

  it("shows one entry with its change and the others of its action", async () => {
    await add({ objectId: "1", correlation: "c", detail: { before: { a: 1 }, after: { a: 2 } } });
    await add({ objectId: "2", correlation: "c" });
    await add({ objectId: "3" });
    const { id } = (await entries()).find(({ objectId }) => objectId === "1") ?? { id: "" };
    const response = await rest.call({ path: `/api/v1/audit/${id}` });
    expect(await response.json()).toMatchObject({
      entry: { id, objectId: "1" },
      detail: { before: { a: 1 }, after: { a: 2 } },
      related: [{ objectId: "2" }],
    });
    expect((await rest.call({ path: "/api/v1/audit/424242" })).status).toBe(404);
  });

  it("is open to admins and auditors only", async () => {
    const statuses = await Promise.all(
      (["viewer", "operator", "admin", "auditor"] as const).map(
        async (role) => (await rest.call({ path: "/api/v1/audit", key: await rest.key(role) })).status,
      ),
    );
    expect(statuses).toEqual([403, 403, 200, 200]);
  });

  it("shows an auditor with scopes the entries of those types and the auditor's own, nothing else", async () => {
    const key = await rest.key("auditor", ["PAY"], "eve");
    await add({ objectId: "1", eventType: "PAY" });
    await add({ objectId: "2", eventType: "MAIL", correlation: "c" });
    await add({ objectId: "3" });
    await add({ objectId: "4", actor: "token:eve", actorKind: "token" });
    expect((await list("", key)).items.map(({ objectId }) => objectId)).toEqual(["4", "1"]);
    expect(await (await rest.call({ path: "/api/v1/audit/count", key })).json()).toMatchObject({ count: 2 });
    for (const { id, objectId } of await entries()) {
      const seen = (await rest.call({ path: `/api/v1/audit/${id}`, key })).status;
      expect([objectId, seen]).toEqual([objectId, objectId === "1" || objectId === "4" ? 200 : 403]);
    }
    expect((await rest.call({ path: "/api/v1/audit?eventType=MAIL", key })).status).toBe(403);
    const csv = await (await rest.call({ path: "/api/v1/audit.csv", key })).text();
    expect(csv.match(/MAIL/)).toBeNull();
    expect(csv.trimEnd().split("\r\n")).toHaveLength(3);
  });

  it("is exported whole, with no formula in it, and the export is an entry (CONSOLE 9)", async () => {
    await add({ objectId: "=cmd|' /C calc'!A0", reason: 'say "x", ok' });
    const rows = Array.from(
      { length: 1_202 },
      (_, n) => `(UTC_TIMESTAMP(3), 'ada', 'person', 'task.reset', 'task', 'o-${n}', 'ok')`,
    );
    await rest.test.pool.query(
      `INSERT INTO t_retry_audit (create_time, actor, actor_kind, action, object_kind, object_id, result) VALUES ${rows.join(", ")}`,
    );
    const response = await rest.call({ path: "/api/v1/audit.csv?action=task.*" });
    expect(response.headers.get("content-disposition")).toContain("audit.csv");
    expect(response.headers.get("x-request-id")).toBeTruthy();
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer());
    const lines = text.trimEnd().split("\r\n");
    expect(lines[0]).toBe(
      `\ufeffid,at,actor,actorKind,role,action,objectKind,objectId,eventType,result,reason,ip,requestId,correlation,detail`,
    );
    expect(lines).toHaveLength(1_204);
    expect(new Set(lines).size).toBe(1_204);
    expect(text).toContain(",'=cmd|' /C calc'!A0,");
    expect(text).toContain('"say ""x"", ok"');
    expect((await entries())[0]).toMatchObject({ action: "audit.export", actor: "token:admin", result: "ok" });
  });

  it.each([
    "?nonsense=1",
    "?result=maybe",
    "?from=yesterday",
    "?from=0000-01-01T00:00:00Z",
    "?to=9999-12-31T23:59:59Z",
    "?objectId=7",
    "?action=DROP",
    "?limit=0",
    "?limit=201",
    "?actor=a&actor=b",
  ])("refuses %s", async (query) => {
    expect((await rest.call({ path: `/api/v1/audit${query}` })).status).toBe(400);
  });
});

describe("a denied attempt", () => {
  const failedTask = () =>
    rest.test.database.use((session) => insertTaskRow(session, { eventType: "PAY", status: "failed" }));

  it("of a role or of a scope is an entry; reading what one may not is none", async () => {
    const id = await failedTask();
    const path = `/api/v1/tasks/${id}/reset`;
    const viewer = await rest.key("viewer", undefined, "vic");
    const scoped = await rest.key("operator", ["MAIL"], "sue");
    expect((await rest.call({ method: "POST", path, body: {}, key: viewer })).status).toBe(403);
    expect((await rest.call({ method: "POST", path, body: {}, key: scoped })).status).toBe(403);
    expect((await rest.call({ path: "/api/v1/audit", key: viewer })).status).toBe(403);
    expect(await entries()).toMatchObject([
      { actor: "token:sue", action: "request.denied", objectId: `POST ${path}`, eventType: "PAY", result: "denied" },
      { actor: "token:vic", action: "request.denied", objectId: `POST ${path}`, role: "viewer", result: "denied" },
    ]);
  });

  it("is answered as ever if it cannot be written down", async () => {
    const key = await rest.key("viewer", undefined, "kim");
    await rest.test.pool.query("RENAME TABLE t_retry_audit TO t_retry_audit_away");
    try {
      const answer = await rest.call({ method: "POST", path: "/api/v1/tokens", body: {}, key });
      expect(answer.status).toBe(403);
    } finally {
      await rest.test.pool.query("RENAME TABLE t_retry_audit_away TO t_retry_audit");
    }
  });

  it("of one asker fills the log with no more than 60 entries a minute", async () => {
    const key = await rest.key("viewer", undefined, "flood");
    for (let n = 0; n < 70; n++) await rest.call({ method: "POST", path: "/api/v1/tokens", body: {}, key });
    expect(await entries()).toHaveLength(60);
  });
});
