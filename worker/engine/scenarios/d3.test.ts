import { mkdtempSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RowDataPacket } from "mysql2/promise";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, type ChildType, endChildren, monotonicMs } from "../../testing/child-engine.ts";
import {
  attemptsOf,
  createServiceTables,
  insertDueTasks,
  type TaskFact,
  taskFacts,
  timesPerId,
  whenAll,
} from "../../testing/task-facts.ts";
import { TcpProxy } from "../../testing/tcp-proxy.ts";
import { waitFor } from "../../testing/wait-for.ts";
import { assertUnharmed, embeddedEngine, insertEveryKind, liveThrough } from "./live-through-outage.ts";

let test: TestDatabase;
let proxy: TcpProxy;
const directory = mkdtempSync(join(tmpdir(), "redrive-d3-"));
const gate = join(directory, "gate");
/** An instance that the others soon take for dead. */
const OUTLIVED = { beatIntervalMs: 300, deadAfterMs: 1_500, recycleIntervalMs: 200, syncIntervalMs: 500 };

beforeAll(async () => {
  test = await createTestDatabase();
  await createServiceTables(test);
  proxy = await TcpProxy.start({ host: test.connection.host ?? "", port: test.connection.port ?? 3306 });
});
afterAll(async () => {
  await proxy.close();
  await test.drop();
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  for (const table of ["t_retry_task", "t_retry_attempt", "effect"]) await test.pool.query(`DELETE FROM ${table}`);
});
afterEach(async () => {
  await proxy.pass();
  await endChildren();
});

describe("D3: the database goes away and comes back", { timeout: 180_000 }, () => {
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
    const held: ChildType = { eventType: "HELD", pollIntervalMs: 200, steps: [{ do: "gate", file: gate }] };
    const cut = await embeddedEngine(proxy.url(test.url), [held]);
    const helpers: ChildEngine[] = [];
    await rm(gate, { force: true });
    await insertDueTasks(test, "HELD", 1);
    await cut.waitUntil("one is held", () => cut.calls("start").some((call) => call.eventType === "HELD"));
    await liveThrough(test, cut, {
      hasHelp: true,
      begin: async () => {
        proxy.blackHole();
        helpers.push(await embeddedEngine(test.url, [held]));
        await waitFor(
          "it has taken all over",
          async () => (await taskFacts(test)).every((fact) => fact.owner !== cut.owner || fact.status !== "running"),
          40_000,
        );
        await writeFile(gate, "");
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

  it.each([
    ["cut off from the database", "blackHole"],
    ["standing still as a whole, and woken by its beat", "stop"],
  ] as const)("D3: what waits for a slot is not started by a process that was %s for too long", async (_, how) => {
    const type = { eventType: "QUEUE", concurrency: 1, pollIntervalMs: 200 };
    const cut = await ChildEngine.start({
      url: proxy.url(test.url),
      engine: OUTLIVED,
      types: [{ ...type, steps: [{ do: "gate", file: gate }] }],
    });
    const helpers: ChildEngine[] = [];
    await writeFile(gate, "");
    await insertDueTasks(test, "QUEUE", 60);
    // So quick that the engine takes many at once into its queue.
    await whenAll(test, ["succeeded"], { timeoutMs: 20_000 });
    await rm(gate);
    await insertDueTasks(test, "QUEUE", 20, { prefix: "waits" });
    const isHeld = (fact: TaskFact) => fact.status === "running" && fact.owner === cut.owner;
    const held = await waitFor("tasks wait behind the one that runs", async () => {
      const all = (await taskFacts(test)).filter(isHeld);
      return all.length > 2 && cut.calls("start").some((call) => call.bizKey.startsWith("waits")) ? all : undefined;
    });
    if (how === "blackHole") proxy.blackHole();
    else cut.signal("SIGSTOP");
    const started = cut.calls("start").length;
    helpers.push(await ChildEngine.start({ url: test.url, engine: OUTLIVED, types: [{ ...type, steps: [] }] }));
    await waitFor("all were taken over", async () => !(await taskFacts(test)).some(isHeld), 30_000);
    await writeFile(gate, "");
    if (how === "stop") cut.signal("SIGCONT");
    await cut.waitUntil("its own ends", () => cut.calls("end").length === started);
    await proxy.pass();
    await whenAll(test, ["succeeded"], { timeoutMs: 30_000 });
    await cut.waitUntil("it lives again", async () => (await cut.health()).isAlive);
    const stale = cut
      .calls("start")
      .slice(started)
      .filter((call) => held.some(({ id, claimNo }) => call.id === id && call.claimNo === claimNo));
    expect(stale).toEqual([]);
    for (const fact of await taskFacts(test)) expect(fact).toMatchObject({ status: "succeeded", retryCount: 0 });
    const times = timesPerId([cut, ...helpers].flatMap((child) => child.calls("start")));
    // The one that ran when the process was cut off has run twice, the others once.
    expect([...times.values()].filter((count) => count > 1)).toEqual([2]);
  });

  it("D3: a claim whose answer comes only after the process was cut off and is back is not begun", async () => {
    const type = { eventType: "LATE", pollIntervalMs: 100, steps: [] };
    const cut = await ChildEngine.start({ url: proxy.url(test.url), engine: OUTLIVED, types: [type] });
    const committed = proxy.cutOnce({ statement: /^COMMIT/i, after: /claim_no = claim_no \+ 1/, when: "held" });
    await insertDueTasks(test, "LATE", 1);
    await committed;
    await waitFor("the claim is in the table", async () => (await taskFacts(test))[0]?.owner === cut.owner);
    proxy.blackHole();
    const helper = await ChildEngine.start({ url: test.url, engine: OUTLIVED, types: [type] });
    await whenAll(test, ["succeeded"], { timeoutMs: 20_000 });
    await helper.waitUntil("it says that it ran", () => helper.calls("start").length === 1);
    await helper.kill();
    await proxy.pass();
    await cut.waitUntil("it lives again", async () => (await cut.health()).isAlive);
    proxy.releaseHeld();
    // The poller that met the late answer goes on with this one.
    await insertDueTasks(test, "LATE", 1, { prefix: "next" });
    await whenAll(test, ["succeeded"], { timeoutMs: 20_000 });
    await cut.waitUntil("it says that it ran the next", () =>
      cut.calls("start").some((call) => call.bizKey === "next-0"),
    );
    expect(cut.calls("start")).toHaveLength(1);
  });

  it("D3: every connection killed, again and again, in the middle of the work", async () => {
    const child = await embeddedEngine(test.url);
    await insertEveryKind(test);
    for (let round = 1; round <= 4; round++) {
      await child.waitUntil(`round ${round}`, () => child.calls("end").length >= 30 * round);
      await killConnections();
    }
    await whenAll(test, ["succeeded", "failed"], { timeoutMs: 60_000 });
    await assertUnharmed(test, [child]);
    const created = await child.enqueue([{ eventType: "PLAIN", bizKey: "afterwards" }]);
    expect(created).toMatchObject([{ status: "running" }]);
  });

  async function killConnections(): Promise<void> {
    const killer = await test.pool.getConnection();
    try {
      const sessions = await waitFor("sessions to kill", async () => {
        const [found] = await killer.query<RowDataPacket[]>(
          "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()",
        );
        return found.length > 0 && found;
      });
      // A session that has ended by itself meanwhile cannot be killed.
      for (const session of sessions) await killer.query(`KILL ${Number(session["id"])}`).catch(() => undefined);
    } finally {
      killer.release();
    }
  }
});
