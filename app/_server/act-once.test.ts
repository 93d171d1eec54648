import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { insertTaskRow, readTaskRow } from "../../db/testing/task-rows.ts";
import { openRest, type Rest } from "./testing/rest-client.ts";

let rest: Rest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());
beforeEach(async () => {
  for (const table of ["task", "attempt", "audit", "idempotency"]) {
    await rest.test.pool.query(`DELETE FROM t_retry_${table}`);
  }
});

const failedTask = () =>
  rest.test.database.use((session) => insertTaskRow(session, { eventType: "PAY", status: "failed", retryCount: 3 }));
const attempts = async (): Promise<number> => {
  const [rows] = await rest.test.pool.query("SELECT COUNT(*) AS n FROM t_retry_attempt");
  return Number((rows as { n: number }[])[0]?.n);
};
const reset = (id: string, key: string | undefined, more: { body?: unknown; key?: string } = {}) =>
  rest.call({
    method: "POST",
    path: `/api/v1/tasks/${id}/reset`,
    body: { reason: "again" },
    headers: key === undefined ? {} : { "Idempotency-Key": key },
    ...more,
  });
const codeOf = async (response: Response) => ((await response.json()) as { code?: string }).code;

describe("a request with an idempotency key", () => {
  it("acts once; a repeat gets the same answer and says that it is one", async () => {
    const id = await failedTask();
    const first = await reset(id, "k1");
    const again = await reset(id, "k1");
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(await again.json()).toEqual(await first.json());
    expect([first.headers.get("idempotent-replayed"), again.headers.get("idempotent-replayed")]).toEqual([
      null,
      "true",
    ]);
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    expect(await attempts()).toBe(1);
    expect((await reset(id, "k2")).status, "another press meets the task as it is now").toBe(409);
  });

  it("acts once of many at the same time", async () => {
    const id = await failedTask();
    const answers = await Promise.all(Array.from({ length: 8 }, () => reset(id, "race")));
    const kinds = await Promise.all(
      answers.map(async (one) => (one.status === 200 ? "done" : `${one.status} ${await codeOf(one)}`)),
    );
    expect(new Set(kinds)).toSatisfy((seen: Set<string>) => seen.has("done") && seen.size <= 2);
    expect(kinds.filter((kind) => kind !== "done")).toEqual(
      kinds.filter((kind) => kind !== "done").map(() => "409 idempotency_in_progress"),
    );
    expect(await attempts()).toBe(1);
  });

  it("is refused with another body, and changes nothing", async () => {
    const [id, other] = [await failedTask(), await failedTask()];
    await reset(id, "k1");
    const mismatch = await reset(id, "k1", { body: { reason: "something else" } });
    expect([mismatch.status, await codeOf(mismatch)]).toEqual([422, "idempotency_mismatch"]);
    expect((await reset(other, "k1")).status, "the same key on another route is another key").toBe(200);
  });

  it("is that of its asker alone", async () => {
    const id = await failedTask();
    await reset(id, "k1");
    const other = await reset(id, "k1", { key: await rest.key("operator") });
    expect([other.status, await codeOf(other)]).toEqual([409, "task_not_failed"]);
  });

  it("keeps a refusal that stays one, and lets a denial be tried again", async () => {
    const missing = await reset("424242", "k1");
    expect(await (await reset("424242", "k1")).json()).toEqual(await missing.json());
    const id = await failedTask();
    const scoped = await rest.key("operator", ["MAIL"], "scoped");
    expect((await reset(id, "k2", { key: scoped })).status).toBe(403);
    await rest.test.pool.query("UPDATE t_retry_api_token SET scopes = NULL WHERE name = 'scoped'");
    expect((await reset(id, "k2", { key: scoped })).status).toBe(200);
  });

  it("is taken over when the first run has died, not before", async () => {
    const id = await failedTask();
    const first = await reset(id, "k1");
    expect(first.status).toBe(200);
    await rest.test.pool.query("UPDATE t_retry_idempotency SET status = NULL, body = 'of a dead process'");
    await rest.test.pool.query(`UPDATE t_retry_task SET status = 2 WHERE id = ${id}`);
    expect(await codeOf(await reset(id, "k1"))).toBe("idempotency_in_progress");
    await rest.test.pool.query("UPDATE t_retry_idempotency SET create_time = create_time - INTERVAL 61 SECOND");
    expect((await reset(id, "k1")).status).toBe(200);
    expect(await rest.test.database.use((session) => readTaskRow(session, id))).toMatchObject({ status: "pending" });
  });

  it.each(["", " ", "a b", "\u00e9", "x".repeat(129)])("is refused if it is %j", async (key) => {
    const id = await failedTask();
    const response = await reset(id, key);
    expect([response.status, await codeOf(response)]).toEqual([400, "invalid_input"]);
    expect(await attempts()).toBe(0);
  });

  it("leaves no answer in the table that could be read there", async () => {
    const created = await rest.call({
      method: "POST",
      path: "/api/v1/tokens",
      body: { name: "ci", role: "viewer" },
      headers: { "Idempotency-Key": "8d1c" },
    });
    const { key } = (await created.json()) as { key: string };
    const [rows] = await rest.test.pool.query("SELECT * FROM t_retry_idempotency");
    const [kept] = rows as { body: string; key_hash: string; request_hash: string }[];
    const stored = JSON.stringify(kept) + Buffer.from(kept?.body ?? "", "base64").toString("latin1");
    expect(stored).not.toContain(key);
    expect(stored).not.toContain("8d1c");
    const again = await rest.call({
      method: "POST",
      path: "/api/v1/tokens",
      body: { name: "ci", role: "viewer" },
      headers: { "Idempotency-Key": "8d1c" },
    });
    expect(await again.json()).toMatchObject({ key });
  });
});

it("acts on each request without a key", async () => {
  const id = await failedTask();
  expect([(await reset(id, undefined)).status, (await reset(id, undefined)).status]).toEqual([200, 409]);
});
