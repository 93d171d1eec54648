import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { hashPassword } from "../../db/password-hash.ts";
import { insertAccount } from "../../db/queries/accounts.ts";
import { insertSession } from "../../db/queries/sessions.ts";
import { newSecretToken, tokenHash } from "../../db/secret-token.ts";
import { insertTaskRow } from "../../db/testing/task-rows.ts";
import { openRest, type Rest } from "./testing/rest-client.ts";

const HOST = "localhost:3000";
const PASSWORD = "x7Fp2-kQ9vLm";
const ORDER = { action: "reset", filter: { state: "failed", eventTypes: ["PAY"] }, name: "again", reason: "why" };

let rest: Rest;
let token: string;
let accountId: string;
beforeAll(async () => {
  rest = await openRest();
  const passwordHash = await hashPassword(PASSWORD);
  accountId = await rest.test.database.transaction(async (session) => {
    for (let n = 0; n < 1_001; n++) await insertTaskRow(session, { eventType: "PAY", status: "failed" });
    return String(await insertAccount(session, { name: "ada", role: "admin", scopes: undefined, passwordHash }));
  });
});
afterAll(() => rest.close());
beforeEach(async () => {
  token = newSecretToken();
  for (const table of ["session", "sign_in_count", "audit", "bulk"]) {
    await rest.test.pool.query(`DELETE FROM t_retry_${table}`);
  }
  await rest.test.database.use((session) =>
    insertSession(session, { tokenHash: tokenHash(token), accountId, ip: undefined, userAgent: undefined }),
  );
  await rest.test.pool.query("UPDATE t_retry_session SET confirmed_time = TIMESTAMPADD(MINUTE, -10, confirmed_time)");
});

const asPerson = (path: string, body: object, key?: string) =>
  rest.call({
    ...{ method: "POST", path, body },
    headers: {
      ...{ Authorization: "", Host: HOST, Origin: `http://${HOST}`, Cookie: `redrive_session=${token}` },
      ...(key === undefined ? {} : { "Idempotency-Key": key }),
    },
  });
const codeOf = async (answer: Promise<Response>) => {
  const response = await answer;
  return response.ok ? "done" : ((await response.json()) as { code: string }).code;
};

it("asks before a bulk action above 1,000 tasks, and takes the same request again after the password", async () => {
  const order = { ...ORDER, confirmCount: 1_001 };
  expect(await codeOf(asPerson("/api/v1/bulk", order, "one-press"))).toBe("step_up_required");
  expect(await codeOf(asPerson("/api/v1/me/confirm", { password: PASSWORD }))).toBe("done");
  expect(await codeOf(asPerson("/api/v1/bulk", order, "one-press"))).toBe("done");
});

it("does not ask for 1,000 tasks, nor a machine for any number", async () => {
  await rest.test.pool.query("UPDATE t_retry_task SET event_type = 'MAIL' ORDER BY id LIMIT 1");
  expect(await codeOf(asPerson("/api/v1/bulk", ORDER))).toBe("done");
  await rest.test.pool.query("UPDATE t_retry_task SET event_type = 'PAY'");
  await rest.test.pool.query("DELETE FROM t_retry_bulk");
  const order = { ...ORDER, confirmCount: 1_001 };
  expect(await codeOf(rest.call({ method: "POST", path: "/api/v1/bulk", body: order }))).toBe("done");
});

it("counts wrong passwords like those at the sign-in, and confirms nothing by them", async () => {
  const confirm = (password: string) => codeOf(asPerson("/api/v1/me/confirm", { password }));
  for (let attempt = 1; attempt <= 5; attempt++) expect(await confirm("wrong")).toBe("wrong_password");
  expect(await confirm(PASSWORD), "five are enough").toBe("too_many_attempts");
  expect(await codeOf(asPerson("/api/v1/tokens", { name: "nightly", role: "viewer" }))).toBe("step_up_required");
  const [rows] = await rest.test.pool.query("SELECT result FROM t_retry_audit WHERE action = 'session.confirm'");
  expect(rows).toEqual(Array.from({ length: 5 }, () => ({ result: "failed" })));
});

it("is for people: a machine has no password to give", async () => {
  expect(await codeOf(rest.call({ method: "POST", path: "/api/v1/me/confirm", body: { password: PASSWORD } }))).toBe(
    "forbidden",
  );
});
