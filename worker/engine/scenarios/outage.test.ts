import type { RowDataPacket } from "mysql2/promise";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Database } from "../../../db/client.ts";
import { parseDatabaseUrl } from "../../../db/connection-options.ts";
import { claimDueTasks } from "../../../db/queries/claim-tasks.ts";
import { ScratchServer } from "../../../db/testing/scratch-server.ts";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, endChildren, monotonicMs } from "../../testing/child-engine.ts";
import {
  attemptsOf,
  createServiceTables,
  insertDueTasks,
  taskFacts,
  timesPerId,
  whenAll,
} from "../../testing/task-facts.ts";
import { TcpProxy } from "../../testing/tcp-proxy.ts";
import { waitFor } from "../../testing/wait-for.ts";
import { WRITE_BACKLOG_MAX } from "../result-writer.ts";
import { assertUnharmed, embeddedEngine, liveThrough } from "./live-through-outage.ts";

const TABLES = ["t_retry_task", "t_retry_attempt", "effect"];

afterEach(endChildren);

describe.skipIf(!ScratchServer.isPossible)(
  "outage of a whole server (on a scratch MariaDB)",
  { timeout: 180_000 },
  () => {
    let server: ScratchServer;
    let test: TestDatabase;
    beforeAll(async () => {
      server = await ScratchServer.create();
      test = await createTestDatabase({ base: server.url });
      await createServiceTables(test);
      // Root writes even on a read-only server; a service does not.
      await server.run("CREATE USER plain@'127.0.0.1'");
      await server.run("GRANT ALL PRIVILEGES ON `redrive\\_test\\_%`.* TO plain@'127.0.0.1'");
    });
    afterAll(() => server.remove());
    beforeEach(async () => {
      for (const table of TABLES) await test.pool.query(`DELETE FROM ${table}`);
    });

    const plainUrl = (): string => test.url.replace("root@", "plain@");

    it("outage: restarted in order (scratch MariaDB)", async () => {
      const child = await embeddedEngine(test.url);
      await liveThrough(test, child, { begin: () => server.stop(), end: () => server.start() });
      await assertUnharmed(test, [child]);
    });

    it("outage: killed and started again (scratch MariaDB)", async () => {
      const child = await embeddedEngine(test.url);
      await liveThrough(test, child, { begin: () => server.kill(), end: () => server.start() });
      await assertUnharmed(test, [child]);
    });

    it("outage: made read-only, as a failover leaves it, and writable again (scratch MariaDB)", async () => {
      const child = await embeddedEngine(plainUrl());
      await liveThrough(test, child, {
        isReadOnly: true,
        begin: () => server.run("SET GLOBAL read_only = ON"),
        end: () => server.run("SET GLOBAL read_only = OFF"),
      });
      await assertUnharmed(test, [child]);
    });

    it("outage: a server that ends idle sessions after 1 s harms nothing (scratch MariaDB)", async () => {
      await server.run("SET GLOBAL wait_timeout = 1");
      try {
        const quietEngine = {
          beatIntervalMs: 5_000,
          deadAfterMs: 15_000,
          syncIntervalMs: 5_000,
          recycleIntervalMs: 5_000,
        };
        const type = { eventType: "IDLE", concurrency: 4, pollIntervalMs: 5_000 };
        const child = await ChildEngine.start({ url: test.url, engine: quietEngine, types: [type] });
        const startedAt = monotonicMs();
        await waitFor("sessions have idled", () => monotonicMs() - startedAt > 3_000);
        const [verdict] = await child.enqueue([{ eventType: "IDLE", bizKey: "eager" }]);
        await child.waitForLine("it runs", (line) => line["id"] === verdict?.id);
        await insertDueTasks(test, "IDLE", 8);
        await whenAll(test, ["succeeded"], { eventType: "IDLE" });
        for (const fact of await taskFacts(test))
          expect(fact).toMatchObject({ retryCount: 0, recycleCount: 0, claimNo: 1 });
        expect(child.stderr.join("")).toBe("");
      } finally {
        await server.run("SET GLOBAL wait_timeout = 28800");
      }
    });
  },
);

describe("outage in mid-flight (through a proxy)", { timeout: 60_000 }, () => {
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
    for (const table of TABLES) await test.pool.query(`DELETE FROM ${table}`);
  });
  afterEach(() => proxy.clearCuts());

  it("outage: connections dropped every moment under load: nothing lost, nothing counted, every effect once", async () => {
    const child = await embeddedEngine(proxy.url(test.url));
    for (const eventType of ["PLAIN", "QUERY", "OWN"]) await insertDueTasks(test, eventType, 60);
    await insertDueTasks(test, "BAD", 15, { maxRetryCount: 2 });
    for (let round = 1; round <= 8; round++) {
      await child.waitUntil(`round ${round}`, () => child.calls("start").length >= 15 * round);
      proxy.dropConnections();
    }
    await whenAll(test, ["succeeded", "failed"], { timeoutMs: 30_000 });
    await assertUnharmed(test, [child]);
  });

  it("outage: a database much slower than failing handlers holds them back, and is not taken for one that is away", async () => {
    await insertDueTasks(test, "QUICK", 400, { maxRetryCount: 1 });
    proxy.delay(20);
    const child = await ChildEngine.start({
      url: proxy.url(test.url),
      serviceUrl: test.url,
      quiet: ["claimed", "started"],
      types: [{ eventType: "QUICK", concurrency: 20, queueSize: 50, pollIntervalMs: 200, steps: [{ do: "fail" }] }],
    });
    let held = 0;
    await waitFor(
      "all have failed for good",
      async () => {
        const facts = await taskFacts(test);
        held = Math.max(held, facts.filter((fact) => fact.status === "running").length);
        return facts.every((fact) => fact.status === "failed");
      },
      60_000,
    );
    // The writes that are allowed to wait, what runs, a full queue, and one more that is given back from a type grown slow.
    expect(held).toBeLessThanOrEqual(WRITE_BACKLOG_MAX + 20 + 2 * 50);
    expect(child.events("outage")).toEqual([]);
    expect(child.events("loopError")).toEqual([]);
    expect(child.calls("start")).toHaveLength(400);
  });

  it("outage: the answer to the COMMIT of a handler's own transaction is lost: one effect, and what is written stays", async () => {
    const steps = [{ do: "transaction" as const }];
    const type = { eventType: "OWN", concurrency: 4, pollIntervalMs: 300, steps };
    const child = await ChildEngine.start({ url: test.url, serviceUrl: proxy.url(test.url), types: [type] });
    const before = proxy.cutOnce({ statement: /^COMMIT/, after: /INSERT INTO effect/, when: "before" });
    const answered = proxy.cutOnce({ statement: /^COMMIT/, after: /INSERT INTO effect/, when: "answered" });
    await insertDueTasks(test, "OWN", 10);
    await Promise.all([before, answered]);
    await whenAll(test, ["succeeded"]);
    const [effects] = await test.pool.query<RowDataPacket[]>(
      "SELECT COUNT(*) AS n, COUNT(DISTINCT task_id) AS d FROM effect",
    );
    expect(effects[0]).toMatchObject({ n: 10, d: 10 });
    // Rolled back before COMMIT: a failed attempt, for the database itself was there. Committed without an answer: done.
    const facts = await taskFacts(test);
    expect(facts.map((fact) => fact.retryCount).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    const times = timesPerId(child.calls("start"));
    for (const fact of facts) {
      expect(fact).toMatchObject({ status: "succeeded", recycleCount: 0 });
      expect(times.get(fact.id)).toBe(1 + fact.retryCount);
    }
    expect(await attemptsOf(test, "retried")).toHaveLength(1);
  });

  it("outage: a session that vanishes in the middle of a claim does not keep its rows locked", async () => {
    await insertDueTasks(test, "LOCKED", 5);
    const vanishing = new Database({
      connection: parseDatabaseUrl(proxy.url(test.url)),
      zone: test.zone,
      idleSeconds: 1,
      statementTimeoutMs: 500,
    });
    const claim = (database: Database, owner: string) =>
      database.transaction((session) => claimDueTasks(session, { owner, ip: "" }, { eventType: "LOCKED", limit: 5 }));
    const lost = vanishing.transaction(async (session) => {
      await claimDueTasks(session, { owner: "vanished", ip: "" }, { eventType: "LOCKED", limit: 5 });
      proxy.blackHole();
      expect(await claim(test.database, "early")).toEqual([]);
    });
    await expect(lost).rejects.toThrow();
    const claimed = await waitFor("the server to end the vanished session", async () => {
      const tasks = await claim(test.database, "next");
      return tasks.length > 0 && tasks;
    });
    expect(claimed).toHaveLength(5);
    proxy.pass({ forgetOld: true });
    await vanishing.close();
  });
});
