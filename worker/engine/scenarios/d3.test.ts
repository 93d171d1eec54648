import type { RowDataPacket } from "mysql2/promise";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, endChildren, monotonicMs } from "../../testing/child-engine.ts";
import { attemptsOf, createServiceTables, insertDueTasks, taskFacts, whenAll } from "../../testing/task-facts.ts";
import { TcpProxy } from "../../testing/tcp-proxy.ts";
import { waitFor } from "../../testing/wait-for.ts";

const OUTAGE_MS = 4_000;
/** Statements under way in a black hole are given up after 10 s; everything else is quicker. */
const BACK_WITHIN_MS = 14_000;
const ENGINE = { beatIntervalMs: 300, deadAfterMs: 1_500, recycleIntervalMs: 200, syncIntervalMs: 500 };
const COUNT = 60;

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

/** A service with its engine, all of it behind the proxy; every kind of handler that an outage can hit. */
function embedded(url = proxy.url(test.url)): Promise<ChildEngine> {
  const common = { concurrency: 10, pollIntervalMs: 500 };
  const retry = { strategy: "FIXED" as const, firstIntervalSeconds: 1, maxRetryCount: 2 };
  return ChildEngine.start({
    url,
    engine: ENGINE,
    serviceConnectTimeoutMs: 2_000,
    quiet: ["claimed", "enqueued"],
    types: [
      { eventType: "PLAIN", ...common, steps: [{ do: "sleep", ms: 300 }] },
      { eventType: "QUERY", ...common, steps: [{ do: "sleep", ms: 300 }, { do: "serviceQuery" }] },
      {
        eventType: "OWN",
        ...common,
        steps: [
          { do: "sleep", ms: 200 },
          { do: "transaction", ms: 100 },
        ],
      },
      { eventType: "BAD", ...common, retry, steps: [{ do: "sleep", ms: 100 }, { do: "fail" }] },
    ],
  });
}

async function insertAll(count: number): Promise<void> {
  for (const eventType of ["PLAIN", "QUERY", "OWN"]) await insertDueTasks(test, eventType, count);
  await insertDueTasks(test, "BAD", count / 4, { maxRetryCount: 2 });
}

/** Runs an outage in the middle of the work and asserts everything that must hold of it. */
async function liveThrough(
  child: ChildEngine,
  outage: { begin: () => Promise<void> | void; end: () => Promise<void> | void },
  isAlone = true,
): Promise<void> {
  await insertAll(COUNT);
  await child.waitUntil("handlers are running", () => child.calls("start").length > 20);
  await outage.begin();
  const beganAt = monotonicMs();
  await child.waitUntil("health says so", async () => {
    const health = await child.health();
    return !health.isAlive && health.lastError !== undefined;
  });
  const startsInOutage = () => child.calls("start").filter((call) => call.at > beganAt + ENGINE.deadAfterMs);
  await expect(child.enqueue([{ eventType: "PLAIN", bizKey: "during" }])).rejects.toThrow();
  await waitFor("the outage has lasted", () => monotonicMs() - beganAt > OUTAGE_MS);
  expect(startsInOutage()).toEqual([]);
  const complaints = child.events("loopError").filter((line) => line.at > beganAt);
  expect(complaints.length).toBeLessThan((OUTAGE_MS / 1_000) * 20);

  await outage.end();
  const endedAt = monotonicMs();
  await child.waitUntil("health is good again", async () => {
    const health = await child.health();
    return health.isAlive && health.lastError === undefined;
  });
  await insertDueTasks(test, "PLAIN", 1, { prefix: "afterwards" });
  await whenAll(test, ["succeeded", "failed"], { timeoutMs: 25_000 });
  const backAt = child.calls("start").find((call) => call.at > endedAt)?.at;
  if (isAlone) expect((backAt ?? Number.POSITIVE_INFINITY) - endedAt).toBeLessThanOrEqual(BACK_WITHIN_MS);
  await waitFor("eager runs work", async () => {
    const created = await child.enqueue([{ eventType: "PLAIN", bizKey: `eager-${monotonicMs()}` }]).catch(() => []);
    return created[0]?.status === "running";
  });
  await whenAll(test, ["succeeded", "failed"], { timeoutMs: 25_000 });
}

/** No loss, no attempt counted for the outage, no effect twice, no handler without a written claim. */
async function assertUnharmed(children: readonly ChildEngine[]): Promise<void> {
  const facts = await taskFacts(test);
  for (const fact of facts) {
    const isBad = fact.eventType === "BAD";
    expect(fact).toMatchObject({ status: isBad ? "failed" : "succeeded", retryCount: isBad ? 2 : 0 });
  }
  expect(facts.filter((fact) => fact.eventType === "BAD")).toHaveLength(COUNT / 4);
  for (const eventType of ["QUERY", "OWN"]) {
    expect(facts.filter((fact) => fact.eventType === eventType)).toHaveLength(COUNT);
  }
  const [effects] = await test.pool.query<RowDataPacket[]>(
    "SELECT COUNT(*) AS n, COUNT(DISTINCT task_id) AS d FROM effect",
  );
  expect(effects[0]).toMatchObject({ n: COUNT, d: COUNT });
  const claimNoById = new Map(facts.map((fact) => [fact.id, fact.claimNo]));
  const claims = new Set<string>();
  for (const call of children.flatMap((child) => child.calls("start"))) {
    expect(call.claimNo).toBeLessThanOrEqual(claimNoById.get(call.id) ?? 0);
    expect(claims.has(`${call.id}/${call.claimNo}`)).toBe(false);
    claims.add(`${call.id}/${call.claimNo}`);
  }
  for (const child of children) {
    expect(child.isRunning).toBe(true);
    expect(child.stderr).toEqual([]);
  }
}

describe("D3: the database goes away and comes back", { timeout: 90_000 }, () => {
  it("D3: connections refused", async () => {
    const child = await embedded();
    await liveThrough(child, { begin: () => proxy.refuse(), end: () => proxy.pass() });
    await assertUnharmed([child]);
  });

  it("D3: packets dropped silently, then delivered late", async () => {
    const child = await embedded();
    await liveThrough(child, { begin: () => proxy.blackHole(), end: () => proxy.pass() });
    await assertUnharmed([child]);
  });

  it("D3: packets dropped silently, while another instance keeps its connection and takes the tasks over", async () => {
    const cut = await embedded();
    let other: ChildEngine | undefined;
    await liveThrough(
      cut,
      {
        begin: async () => {
          proxy.blackHole();
          other = await embedded(test.url);
          const cutOwner = cut.owner;
          await waitFor("it has taken all over", async () =>
            (await taskFacts(test)).every((fact) => fact.owner !== cutOwner || fact.status !== "running"),
          );
        },
        end: () => proxy.pass(),
      },
      false,
    );
    await assertUnharmed([cut, other ?? expect.fail("no other")]);
    expect((await attemptsOf(test, "recycled")).length).toBeGreaterThan(0);
    for (const call of cut.calls("abort")) expect(call["reason"]).toMatch(/cut off/);
  });

  it("D3: every connection killed, again and again, in the middle of the work", async () => {
    const child = await embedded(test.url);
    await insertAll(COUNT);
    const [own] = await test.pool.query<RowDataPacket[]>("SELECT CONNECTION_ID() AS id");
    for (let round = 1; round <= 4; round++) {
      await child.waitUntil(`round ${round}`, () => child.calls("end").length >= 30 * round);
      const [sessions] = await test.pool.query<RowDataPacket[]>(
        "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID() AND id <> ?",
        [own[0]?.["id"]],
      );
      for (const { id } of sessions) await test.pool.query(`KILL ${Number(id)}`).catch(() => undefined);
    }
    await whenAll(test, ["succeeded", "failed"], { timeoutMs: 25_000 });
    await assertUnharmed([child]);
    const created = await child.enqueue([{ eventType: "PLAIN", bizKey: "afterwards" }]);
    expect(created).toMatchObject([{ status: "running" }]);
  });
});
