import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import {
  findApiToken,
  insertApiToken,
  listApiTokens,
  lockApiToken,
  type NewApiToken,
  revokeApiToken,
  touchApiToken,
} from "./api-tokens.ts";

const NOW = Date.parse("2026-05-01T12:00:00.000Z");
const later = (ms: number) => new Date(NOW + ms);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const add = (tokenHash: string, more: Partial<NewApiToken> = {}) =>
  test.database.use((session) =>
    insertApiToken(session.at(later(0)), {
      name: "ci",
      tokenHash,
      role: "operator",
      scopes: undefined,
      createdBy: "ada",
      expiresInMs: undefined,
      ...more,
    }),
  );
const find = (hash: string, at = later(0)) =>
  test.database.use(async (session) => (await findApiToken(session.at(at), hash))?.token);

describe("an API token", () => {
  it("is found by its hash with role, scopes and times", async () => {
    const id = await add("h1", { scopes: ["PAY", "订单"], expiresInMs: 86_400_000 });
    expect(await find("h1")).toEqual({
      id,
      name: "ci",
      role: "operator",
      scopes: ["PAY", "订单"],
      createdBy: "ada",
      createdAt: later(0),
      expiresAt: later(86_400_000),
      usedAt: undefined,
      revokedAt: undefined,
      state: "active",
    });
    expect(await find("H1")).toBeUndefined();
  });

  it("ends at its hour and when it is revoked, once", async () => {
    await add("h2", { expiresInMs: 1_000 });
    expect(await find("h2", later(999))).toMatchObject({ state: "active" });
    expect(await find("h2", later(1_000))).toMatchObject({ state: "expired" });
    const id = await add("h3");
    const revoke = () => test.database.use((session) => revokeApiToken(session, id));
    expect([await revoke(), await revoke()]).toEqual([true, false]);
    expect(await find("h3")).toMatchObject({ state: "revoked" });
    expect(await test.database.transaction((session) => lockApiToken(session, id))).toMatchObject({ state: "revoked" });
    expect(await test.database.transaction((session) => lockApiToken(session, "4242"))).toBeUndefined();
  });

  it("notes its use at most once a minute", async () => {
    const id = await add("h4");
    const touch = (ms: number) => test.database.use((session) => touchApiToken(session.at(later(ms)), id));
    const due = async (ms: number) =>
      test.database.use(async (session) => (await findApiToken(session.at(later(ms)), "h4"))?.isToTouch);
    expect(await due(0)).toBe(true);
    for (const ms of [0, 30_000, 60_000]) await touch(ms);
    expect([await due(60_000), await due(60_001)]).toEqual([false, true]);
    expect(await find("h4")).toMatchObject({ usedAt: later(0) });
    await touch(60_001);
    expect(await find("h4")).toMatchObject({ usedAt: later(60_001) });
  });

  it("with a role or scopes that cannot be read may do the least", async () => {
    const id = await add("h5");
    await test.pool.query(`UPDATE t_retry_api_token SET role = 'root', scopes = '{"a":1}' WHERE id = ${id}`);
    expect(await find("h5")).toMatchObject({ role: "viewer", scopes: [] });
    await test.pool.query(`UPDATE t_retry_api_token SET scopes = '[broken' WHERE id = ${id}`);
    expect(await find("h5")).toMatchObject({ scopes: [] });
  });

  it("is listed newest first", async () => {
    const names = (await test.database.use(listApiTokens)).map(({ id }) => Number(id));
    expect(names).toEqual([...names].sort((a, b) => b - a));
  });
});
