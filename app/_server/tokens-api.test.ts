import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiTokenItem, ApiTokenList, CreatedApiToken } from "./token-schema.ts";
import { openRest, type Rest } from "./testing/rest-client.ts";

let rest: Rest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());

const create = (body: object, key?: string) =>
  rest.call({ method: "POST", path: "/api/v1/tokens", body, ...(key === undefined ? {} : { key }) });
const made = async (body: object) => (await (await create(body)).json()) as CreatedApiToken;
const list = async (key?: string) => {
  const response = await rest.call({ path: "/api/v1/tokens", ...(key === undefined ? {} : { key }) });
  return ((await response.json()) as ApiTokenList).items;
};
const read = async (key: string) => (await rest.call({ path: "/api/v1/overview", key })).status;

describe("a machine's key", () => {
  it("opens the API for its role until it is revoked, and is stored as a hash", async () => {
    const { token, key } = await made({ name: "ci", role: "viewer" });
    expect(key).toMatch(/^rdv_[\w-]{43}$/);
    expect(token).toMatchObject({
      name: "ci",
      actor: "token:ci",
      role: "viewer",
      createdBy: "token:admin",
      state: "active",
    });
    const days = (Date.parse(token.expiresAt ?? "") - Date.parse(token.createdAt)) / 86_400_000;
    expect(days).toBeCloseTo(90, 5);
    expect(await read(key)).toBe(200);
    expect((await create({ name: "x", role: "viewer" }, key)).status).toBe(403);
    expect(JSON.stringify(await list())).not.toContain(key);
    const [rows] = await rest.test.pool.query("SELECT * FROM t_retry_api_token");
    expect(JSON.stringify(rows)).not.toContain(key);
    expect((await list()).find(({ id }) => id === token.id)?.usedAt).toBeTruthy();

    const revoke = () => rest.call({ method: "POST", path: `/api/v1/tokens/${token.id}/revoke`, body: {} });
    const first = (await (await revoke()).json()) as ApiTokenItem;
    expect(first.state).toBe("revoked");
    expect(await (await revoke()).json()).toMatchObject({ revokedAt: first.revokedAt });
    expect(await read(key)).toBe(401);
  });

  it("that expired, was never made or is damaged opens nothing, on a loopback name too", async () => {
    const { token, key } = await made({ name: "old", role: "admin", expiresInDays: 1 });
    await rest.test.pool.query(
      `UPDATE t_retry_api_token SET expire_time = create_time - INTERVAL 1 DAY WHERE id = ${token.id}`,
    );
    for (const bad of [key, `rdv_${"A".repeat(43)}`, "rdv_", `${key}x`, `rdv_' OR 1=1 -- ${"x".repeat(30)}`]) {
      const headers = { Host: "127.0.0.1", Origin: "http://127.0.0.1" };
      expect((await rest.call({ path: "/api/v1/overview", key: bad, headers })).status).toBe(401);
    }
  });

  it("has only event types that its maker has", async () => {
    const scoped = await rest.key("admin", ["PAY", "MAIL"], "scoped");
    expect((await create({ name: "a", role: "viewer", scopes: ["REFUND"] }, scoped)).status).toBe(403);
    expect(await (await create({ name: "b", role: "viewer" }, scoped)).json()).toMatchObject({
      token: { scopes: ["PAY", "MAIL"] },
    });
    expect(await (await create({ name: "c", role: "viewer", scopes: ["PAY"] }, scoped)).json()).toMatchObject({
      token: { scopes: ["PAY"] },
    });
    const { token } = await made({ name: "all", role: "viewer", expiresInDays: null });
    expect(token.expiresAt).toBeUndefined();
    expect((await list(scoped)).map(({ name }) => name).sort()).toEqual(["b", "c", "scoped"]);
    const foreign = await rest.call({
      method: "POST",
      path: `/api/v1/tokens/${token.id}/revoke`,
      body: {},
      key: scoped,
    });
    expect(foreign.status).toBe(403);
  });

  it("is made and revoked on the record", async () => {
    await rest.test.pool.query("DELETE FROM t_retry_audit");
    const { token } = await made({ name: "rec", role: "operator", scopes: ["PAY", "PAY"] });
    await rest.call({ method: "POST", path: `/api/v1/tokens/${token.id}/revoke`, body: {} });
    const [rows] = await rest.test.pool.query("SELECT action, object_id, detail FROM t_retry_audit ORDER BY id");
    expect(
      (rows as { action: string; object_id: string; detail: string }[]).map((row) => [
        row.action,
        row.object_id,
        JSON.parse(row.detail) as unknown,
      ]),
    ).toEqual([
      [
        "token.create",
        token.id,
        { after: { name: "rec", role: "operator", scopes: ["PAY"], expiresAt: token.expiresAt } },
      ],
      ["token.revoke", token.id, { before: { name: "rec", role: "operator", scopes: ["PAY"] } }],
    ]);
  });

  it.each([
    {},
    { name: "", role: "viewer" },
    { name: "a\u202eb", role: "viewer" },
    { name: "x".repeat(49), role: "viewer" },
    { name: "a", role: "root" },
    { name: "a", role: "viewer", scopes: [] },
    { name: "a", role: "viewer", scopes: ["x".repeat(65)] },
    { name: "a", role: "viewer", expiresInDays: 0 },
    { name: "a", role: "viewer", expiresInDays: 1e9 },
    { name: "a", role: "viewer", key: "rdv_mine" },
  ])("is not made of %j", async (body) => {
    expect((await create(body)).status).toBe(400);
  });
});
