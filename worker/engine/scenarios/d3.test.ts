import type { RowDataPacket } from "mysql2/promise";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, endChildren, monotonicMs } from "../../testing/child-engine.ts";
import { attemptsOf, createServiceTables, insertDueTasks, taskFacts, whenAll } from "../../testing/task-facts.ts";
import { TcpProxy } from "../../testing/tcp-proxy.ts";
import { waitFor } from "../../testing/wait-for.ts";
import { assertUnharmed, embeddedEngine, insertEveryKind, liveThrough } from "./live-through-outage.ts";

let test: TestDatabase;
let proxy: TcpProxy;
beforeAll(async () => {
  test = await createTestDatabase();
  await createServiceTables(test);
  proxy = await TcpProxy.start({ host: test.connection.host ?? "", port: test.connection.port ?? 3306 });
});
afterAll(async () => {
  await proxy.close();
  await test.drop();
});
beforeEach(async () => {
  for (const table of ["t_retry_task", "t_retry_attempt", "effect"]) await test.pool.query(`DELETE FROM ${table}`);
});
afterEach(async () => {
  await proxy.pass();
  await endChildren();
});

describe("D3: the database goes away and comes back", { timeout: 90_000 }, () => {
  it("D3: connections refused", async () => {
    const child = await embeddedEngine(proxy.url(test.url));
    await liveThrough(test, child, { begin: () => proxy.refuse(), end: () => proxy.pass() });
    await assertUnharmed(test, [child]);
  });

  it("D3: packets dropped silently, then delivered late", async () => {
    const child = await embeddedEngine(proxy.url(test.url));
    await liveThrough(test, child, { begin: () => proxy.blackHole(), end: () => proxy.pass() });
    await assertUnharmed(test, [child]);
  });

  it("D3: packets dropped silently, while another instance keeps its connection and takes the tasks over", async () => {
    const cut = await embeddedEngine(proxy.url(test.url));
    const helpers: ChildEngine[] = [];
    await liveThrough(test, cut, {
      hasHelp: true,
      begin: async () => {
        proxy.blackHole();
        helpers.push(await embeddedEngine(test.url));
        await waitFor(
          "it has taken all over",
          async () => (await taskFacts(test)).every((fact) => fact.owner !== cut.owner || fact.status !== "running"),
          40_000,
        );
      },
      end: () => proxy.pass(),
    });
    await assertUnharmed(test, [cut, ...helpers]);
    expect((await attemptsOf(test, "recycled")).length).toBeGreaterThan(0);
    expect(cut.calls("abort").length).toBeGreaterThan(0);
    for (const call of cut.calls("abort")) expect(call["reason"]).toMatch(/cut off/);
  });

  it("D3: of two instances that were cut off together, the first one back does not take the other one for dead", async () => {
    const later = await TcpProxy.start({ host: test.connection.host ?? "", port: test.connection.port ?? 3306 });
    try {
      const engine = { recycleIntervalMs: 100, syncIntervalMs: 500 };
      const type = {
        eventType: "LONG",
        concurrency: 10,
        pollIntervalMs: 500,
        steps: [{ do: "sleep" as const, ms: 14_000 }],
      };
      const a = await ChildEngine.start({ url: later.url(test.url), serviceUrl: test.url, engine, types: [type] });
      await insertDueTasks(test, "LONG", 10);
      await a.waitUntil("A runs them", () => a.calls("start").length === 10);
      const b = await ChildEngine.start({ url: proxy.url(test.url), serviceUrl: test.url, engine, types: [type] });
      // The outage begins just before a beat of A: 2 s have passed since the one before, 10 s without one are death.
      await later.cutOnce({ statement: /SET beat_time/, when: "before", silently: true });
      later.blackHole();
      proxy.blackHole();
      const beganAt = monotonicMs();
      await waitFor("6 s have passed", () => monotonicMs() - beganAt > 6_000);
      await proxy.pass();
      await waitFor("8 s have passed", () => monotonicMs() - beganAt > 8_000);
      await later.pass();
      await whenAll(test, ["succeeded"], { timeoutMs: 20_000 });
      for (const fact of await taskFacts(test))
        expect(fact).toMatchObject({ recycleCount: 0, claimNo: 1, owner: a.owner });
      expect(b.calls("start")).toEqual([]);
    } finally {
      await later.close();
    }
  });

  it("D3: every connection killed, again and again, in the middle of the work", async () => {
    const child = await embeddedEngine(test.url);
    await insertEveryKind(test);
    for (let round = 1; round <= 4; round++) {
      await child.waitUntil(`round ${round}`, () => child.calls("end").length >= 30 * round);
      await killConnections();
    }
    await whenAll(test, ["succeeded", "failed"], { timeoutMs: 25_000 });
    await assertUnharmed(test, [child]);
    const created = await child.enqueue([{ eventType: "PLAIN", bizKey: "afterwards" }]);
    expect(created).toMatchObject([{ status: "running" }]);
  });

  async function killConnections(): Promise<void> {
    const killer = await test.pool.getConnection();
    try {
      const [sessions] = await killer.query<RowDataPacket[]>(
        "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()",
      );
      expect(sessions.length).toBeGreaterThan(0);
      // A session that has ended by itself meanwhile cannot be killed.
      for (const session of sessions) await killer.query(`KILL ${Number(session["id"])}`).catch(() => undefined);
    } finally {
      killer.release();
    }
  }
});
