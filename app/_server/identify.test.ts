import { afterAll, beforeAll, expect, it } from "vitest";
import { insertAccount } from "../../db/queries/accounts.ts";
import { insertSession } from "../../db/queries/sessions.ts";
import { newSecretToken, tokenHash } from "../../db/secret-token.ts";
import { openRest, type Rest } from "./testing/rest-client.ts";

let rest: Rest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());

it("counts a request as use of the session, but not one that a hidden page makes by itself", async () => {
  const token = newSecretToken();
  await rest.test.database.use(async (session) => {
    const accountId = await insertAccount(session, { name: "ada", role: "viewer", scopes: undefined });
    if (accountId === undefined) throw new Error("the name is taken");
    await insertSession(session, { tokenHash: tokenHash(token), accountId, ip: undefined, userAgent: undefined });
    await rest.test.pool.query("UPDATE t_retry_session SET used_time = TIMESTAMPADD(MINUTE, -5, used_time)");
  });
  const headers = { Authorization: "", Host: "127.0.0.1:3000", Cookie: `redrive_session=${token}` };
  const usedTime = async () => {
    const [rows] = await rest.test.pool.query("SELECT CAST(used_time AS CHAR) AS used FROM t_retry_session");
    return JSON.stringify(rows);
  };
  const before = await usedTime();
  const unseen = await rest.call({ path: "/api/v1/overview", headers: { ...headers, "X-Unattended": "1" } });
  expect([unseen.status, await usedTime()]).toEqual([200, before]);
  const seen = await rest.call({ path: "/api/v1/overview", headers });
  expect(seen.status).toBe(200);
  expect(await usedTime()).not.toBe(before);
});
