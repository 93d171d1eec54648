import type { Socket } from "node:net";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AcquireTimeoutError, Database, type DatabaseOptions, mysql2Seam } from "./client.ts";
import { classifyDatabaseError } from "./mysql-errors.ts";
import { Session } from "./session.ts";
import { SessionZone } from "./session-zone.ts";
import { standBetween } from "./testing/stand-between.ts";
import { createTestDatabase, type TestDatabase } from "./testing/test-database.ts";

const COM_QUIT = 0x01;

let test: TestDatabase;
const opened: Database[] = [];
beforeAll(async () => {
  test = await createTestDatabase({ migrated: false });
  await test.pool.query("CREATE TABLE item (id INT PRIMARY KEY, value INT NOT NULL) ENGINE=InnoDB");
});
beforeEach(async () => {
  await test.pool.query("DELETE FROM item");
  await test.pool.query("INSERT INTO item VALUES (1, 0), (2, 0)");
});
afterEach(async () => {
  for (const database of opened.splice(0)) {
    expect(database.busyConnections).toBe(0);
    await database.close();
  }
});
afterAll(() => test.drop());

function open(options: Partial<DatabaseOptions> = {}): Database {
  const database = new Database({ connection: test.connection, ...options });
  opened.push(database);
  return database;
}

async function connectionId(session: Session): Promise<string> {
  const [row] = await session.rows<{ id: number }>(sql`SELECT CONNECTION_ID() AS id`);
  return String(row?.id);
}

async function values(): Promise<number[]> {
  const [rows] = await test.pool.query("SELECT value FROM item ORDER BY id");
  return (rows as { value: number }[]).map((row) => row.value);
}

/** A gate that a test opens when it has seen what it waited for. */
function gate(): { opened: Promise<void>; open(): void } {
  let open = () => undefined as void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** The ids of so many connections, all of which were in use at once and are free again. */
async function heldTogether(database: Database, count: number): Promise<string[]> {
  const allHeld = gate();
  const ids: string[] = [];
  await Promise.all(
    Array.from({ length: count }, () =>
      database.use(async (session) => {
        ids.push(await connectionId(session));
        if (ids.length === count) allHeld.open();
        await allHeld.opened;
      }),
    ),
  );
  return ids;
}

/** Holds the row lock of item 1 in a business transaction while `work` runs. */
async function whileItemIsLocked(work: () => Promise<void>): Promise<void> {
  const holder = await test.pool.getConnection();
  await holder.query("START TRANSACTION");
  await holder.query("SELECT id FROM item WHERE id = 1 FOR UPDATE");
  try {
    await work();
  } finally {
    await holder.query("ROLLBACK");
    holder.release();
  }
}

describe("every connection", () => {
  it("is READ COMMITTED, strict, in the configured zone and with short waits, whatever the server's defaults", async () => {
    const database = open({ zone: SessionZone.parse("+08:00"), connectionLimit: 3 });
    const allHeld = gate();
    let held = 0;
    const seen = await Promise.all(
      [1, 2, 3].map(() =>
        database.use(async (session) => {
          if (++held === 3) allHeld.open();
          await allHeld.opened;
          const rows = await session.rows<{ Variable_name: string; Value: string }>(
            sql`SHOW SESSION VARIABLES WHERE Variable_name IN
                ('transaction_isolation', 'tx_isolation', 'time_zone', 'sql_mode', 'innodb_lock_wait_timeout', 'wait_timeout',
                'character_set_client')`,
          );
          const setting = new Map(rows.map((row) => [row.Variable_name, row.Value]));
          return {
            id: await connectionId(session),
            isolation: setting.get("transaction_isolation") ?? setting.get("tx_isolation"),
            zone: setting.get("time_zone"),
            isStrict: setting.get("sql_mode")?.includes("STRICT_TRANS_TABLES"),
            lockWait: setting.get("innodb_lock_wait_timeout"),
            idle: setting.get("wait_timeout"),
            charset: setting.get("character_set_client"),
          };
        }),
      ),
    );
    expect(new Set(seen.map(({ id }) => id)).size).toBe(3);
    for (const settings of seen) {
      expect(settings).toMatchObject({
        isolation: "READ-COMMITTED",
        zone: "+08:00",
        isStrict: true,
        lockWait: "1",
        idle: "30",
        charset: "utf8mb4",
      });
    }
  });

  it("that cannot be prepared fails its first user with the server's reason and is not used", async () => {
    const database = open({ lockWaitSeconds: Number.NaN });
    let ran = false;
    const use = database.use(async () => {
      ran = true;
    });
    await expect(use).rejects.toMatchObject({ errno: expect.any(Number) as number });
    expect(ran).toBe(false);
  });

  it("keeps 64-bit ids and milliseconds exactly", async () => {
    const [row] = await open().use((session) =>
      session.rows(
        sql`SELECT ${9_007_199_254_740_993n} + 0 AS id, CAST('2026-01-01 00:00:00.007' AS DATETIME(3)) AS instant`,
      ),
    );
    expect(row).toEqual({ id: "9007199254740993", instant: "2026-01-01 00:00:00.007" });
  });

  it("an error names the statement and leads to whoever asked, on the pool's connections and on a service's", async () => {
    const connection = await test.pool.getConnection();
    async function askInVain(session: Session): Promise<unknown> {
      return await session.rows(sql`SELECT 1 FROM nowhere`).catch((error: unknown) => error);
    }
    try {
      for (const failed of [await open().use(askInVain), await askInVain(new Session(mysql2Seam(connection)))]) {
        expect(failed).toMatchObject({ errno: 1146, sql: "SELECT 1 FROM nowhere" });
        expect((failed as Error).stack).toMatch(/^Error: .*nowhere[\s\S]*at (async )?askInVain/);
      }
    } finally {
      connection.release();
    }
  });
});

describe("an idle connection", () => {
  it("is kept: a pool that rests does not connect again with each statement", async () => {
    const database = open({ connectionLimit: 3 });
    const ids = await heldTogether(database, 3);
    // The driver's look for idle connections closes the one that makes the pool full, and by that is seen to have come.
    await expect.poll(() => stillConnected(ids), { timeout: 10_000 }).toBe(2);
    expect(ids).toContain(await database.use(connectionId));
    expect(await stillConnected(ids)).toBe(2);
  });

  it("is closed with a word of farewell, after a third of the time at which the server would end it", async () => {
    const lastWords: number[] = [];
    const between = await standBetween(test.connection, (client, server) => {
      let command: number | undefined;
      client.on("data", (chunk) => (command = chunk[4]));
      client.on("close", () => command !== undefined && lastWords.push(command));
      client.pipe(server).pipe(client);
    });
    try {
      const database = open({ connection: between.connection, connectionLimit: 2, idleSeconds: 6 });
      const [id = ""] = await heldTogether(database, 1);
      await expect.poll(() => stillConnected([id]), { timeout: 10_000 }).toBe(0);
      await expect.poll(() => lastWords, { timeout: 10_000 }).toEqual([COM_QUIT]);
    } finally {
      between.close();
    }
  });

  it("is replaced when it was idle for so long, though nobody has closed it: the process may have been blocked", async () => {
    const database = open({ connectionLimit: 2, idleSeconds: 2 });
    const [id = ""] = await heldTogether(database, 1);
    const blockedUntil = performance.now() + 1_100;
    while (performance.now() < blockedUntil);
    expect(await database.use(connectionId)).not.toBe(id);
  });

  it("is not used again once another one was lost: it may lead to the same dead end", async () => {
    const database = open({ connectionLimit: 3, statementTimeoutMs: 150 });
    const ids = await heldTogether(database, 3);
    await expect(database.use((session) => session.rows(sql`SELECT SLEEP(2)`))).rejects.toThrow();
    const later = await heldTogether(database, 3);
    for (const id of later) expect(ids).not.toContain(id);
  });

  it("that is lost shortly after its use is a sign of an outage, though no statement met it", async () => {
    const database = open({ connectionLimit: 3, idleSeconds: 60 });
    const ids = await heldTogether(database, 2);
    for (const id of ids) await test.pool.query(`KILL ${id}`);
    await expect.poll(() => database.lostConnectionWithin(60_000)).toBe(true);
  });
});

describe("close", () => {
  it("ends within a second or so although the server never answers the farewell, and leaves no socket open", async () => {
    const sockets = new Set<Socket>();
    const between = await standBetween(test.connection, (client, server) => {
      sockets.add(client);
      client.on("data", (chunk) => chunk[4] !== COM_QUIT && server.write(chunk));
      server.pipe(client, { end: false });
      client.on("close", () => {
        sockets.delete(client);
        server.destroy();
      });
    });
    try {
      const database = open({ connection: between.connection, connectionLimit: 2 });
      await heldTogether(database, 2);
      expect(sockets.size).toBe(2);
      await database.close();
      // Whoever has only said that nothing more will come still takes what is written here.
      const left = () => {
        for (const socket of sockets) socket.write("?");
        return sockets.size;
      };
      await expect.poll(left).toBe(0);
    } finally {
      between.close();
    }
  });
});

describe("transaction", () => {
  it("commits all of it and answers what the work answers", async () => {
    const answer = await open().transaction(async (session) => {
      await session.change(sql`UPDATE item SET value = 1 WHERE id = 1`);
      await session.change(sql`UPDATE item SET value = 2 WHERE id = 2`);
      return "done";
    });
    expect(answer).toBe("done");
    expect(await values()).toEqual([1, 2]);
  });

  it("rolls everything back for an error of the work itself and gives the connection back", async () => {
    const database = open({ connectionLimit: 1 });
    const work = database.transaction(async (session) => {
      await session.change(sql`UPDATE item SET value = 1 WHERE id = 1`);
      throw new Error("handler says no");
    });
    await expect(work).rejects.toThrow("handler says no");
    await database.use(async () => undefined);
    expect(await values()).toEqual([0, 0]);
  });

  it("commits nothing that came before a lock-wait timeout (1205 undoes only its statement)", async () => {
    const database = open({ connectionLimit: 1, lockWaitSeconds: 1 });
    await whileItemIsLocked(async () => {
      const work = database.transaction(async (session) => {
        await session.change(sql`UPDATE item SET value = 5 WHERE id = 2`);
        await session.change(sql`UPDATE item SET value = 5 WHERE id = 1`);
      });
      await expect(work).rejects.toMatchObject({ errno: 1205 });
      await database.transaction((session) => session.change(sql`INSERT INTO item VALUES (3, 3)`));
    });
    expect(await values()).toEqual([0, 0, 3]);
  });

  it("is run again as a whole after a lock-wait timeout, until the holder is gone", async () => {
    const database = open({ lockWaitSeconds: 1 });
    let runs = 0;
    const secondRun = gate();
    let unit: Promise<void> | undefined;
    await whileItemIsLocked(async () => {
      unit = database.retryingTransaction(async (session) => {
        if (++runs === 2) secondRun.open();
        await session.change(sql`UPDATE item SET value = value + 1 WHERE id = 2`);
        await session.change(sql`UPDATE item SET value = value + 1 WHERE id = 1`);
      });
      await secondRun.opened;
    });
    await unit;
    expect(runs).toBeGreaterThanOrEqual(2);
    expect(await values()).toEqual([1, 1]);
  });

  it("is run again as a whole after a deadlock: both of two crossing units commit", async () => {
    const database = open();
    let arrived = 0;
    const bothHold = gate();
    const unit = (first: number, second: number) =>
      database.retryingTransaction(async (session) => {
        await session.change(sql`UPDATE item SET value = value + 1 WHERE id = ${first}`);
        if (++arrived === 2) bothHold.open();
        await bothHold.opened;
        await session.change(sql`UPDATE item SET value = value + 1 WHERE id = ${second}`);
      });
    await Promise.all([unit(1, 2), unit(2, 1)]);
    expect(arrived).toBe(3);
    expect(await values()).toEqual([2, 2]);
  });

  it("does not fail for a row that changed meanwhile where snapshot isolation is on (1020)", async (context) => {
    if (test.kind !== "mariadb") return context.skip("MySQL has no snapshot isolation");
    const database = open({ connectionLimit: 1 });
    await database.use((session) => session.run("SET SESSION innodb_snapshot_isolation = ON"));
    await database.transaction(async (session) => {
      await session.rows(sql`SELECT value FROM item WHERE id = 1`);
      await test.pool.query("UPDATE item SET value = value + 1 WHERE id = 1");
      await session.change(sql`UPDATE item SET value = value + 1 WHERE id = 1`);
    });
    expect(await values()).toEqual([2, 0]);
  });

  it("does not make a business insert wait, although it locked past the end of the table", async () => {
    const database = open();
    await database.transaction(async (session) => {
      await session.rows(sql`SELECT id FROM item WHERE id > 1 ORDER BY id LIMIT 100 FOR UPDATE`);
      await database.use((other) => other.run("INSERT INTO item VALUES (9, 9)"));
    });
    expect(await values()).toEqual([0, 0, 9]);
  });
});

describe("limits", () => {
  it("a statement past its time fails as an outage, its connection is destroyed and the next user gets a new one", async () => {
    const database = open({ connectionLimit: 1, statementTimeoutMs: 150 });
    let first = "";
    const work = database.use(async (session) => {
      first = await connectionId(session);
      await session.rows(sql`SELECT SLEEP(2)`);
    });
    const error = await work.catch((reason: unknown) => reason);
    expect(classifyDatabaseError(error)).toBe("connection_lost");
    expect(await database.use(connectionId)).not.toBe(first);
  });

  it("a transaction whose statement ran past its time is rolled back by the server", async () => {
    const database = open({ connectionLimit: 1, statementTimeoutMs: 150 });
    const work = database.transaction(async (session) => {
      await session.change(sql`UPDATE item SET value = 7 WHERE id = 1`);
      await session.rows(sql`SELECT SLEEP(1)`);
    });
    await expect(work).rejects.toThrow();
    expect(await values()).toEqual([0, 0]);
  });

  it("waiting for a connection ends in time with an outage, and the late connection is not leaked", async () => {
    const database = open({ connectionLimit: 1, acquireTimeoutMs: 50 });
    await database.use(async () => {
      expect(database.busyConnections).toBe(1);
      const error = await database.use(async () => undefined).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(AcquireTimeoutError);
      expect(classifyDatabaseError(error)).toBe("connection_lost");
    });
    expect(database.busyConnections).toBe(0);
    expect(await database.use(async () => "free again")).toBe("free again");
  });

  it("a server that cannot be reached fails as an outage and leaves nothing busy", async () => {
    const database = open({ connection: { ...test.connection, port: 1 } });
    const error = await database.use(async () => undefined).catch((reason: unknown) => reason);
    expect(classifyDatabaseError(error)).toBe("connection_lost");
  });
});

describe("a lost or read-only connection", () => {
  it("D3: the pool works on after all its idle connections were killed", async () => {
    const database = open({ connectionLimit: 3 });
    const ids = await heldTogether(database, 3);
    for (const id of ids) await test.pool.query(`KILL ${id}`);
    await expect.poll(() => stillConnected(ids)).toBe(0);
    const work = async () => database.use((session) => connectionId(session)).catch(() => "lost");
    await expect.poll(work).not.toBe("lost");
    const answers = await Promise.all([work(), work(), work()]);
    for (const answer of answers) expect([...ids, "lost"]).not.toContain(answer);
  });

  it("D3: a connection killed inside a transaction is destroyed, nothing is committed", async () => {
    const database = open({ connectionLimit: 1 });
    let first = "";
    const work = database.transaction(async (session) => {
      first = await connectionId(session);
      await session.change(sql`UPDATE item SET value = 7 WHERE id = 1`);
      await test.pool.query(`KILL ${first}`);
      await session.change(sql`UPDATE item SET value = 7 WHERE id = 2`);
    });
    const error = await work.catch((reason: unknown) => reason);
    expect(classifyDatabaseError(error)).toBe("connection_lost");
    expect(await database.use(connectionId)).not.toBe(first);
    expect(await values()).toEqual([0, 0]);
  });

  it("a connection that turned read-only does not go back to the pool", async () => {
    const database = open({ connectionLimit: 1 });
    let first = "";
    const work = database.use(async (session) => {
      first = await connectionId(session);
      await session.run("SET SESSION TRANSACTION READ ONLY");
      await session.change(sql`UPDATE item SET value = 1 WHERE id = 1`);
    });
    const error = await work.catch((reason: unknown) => reason);
    expect(classifyDatabaseError(error)).toBe("read_only");
    expect(await database.use(connectionId)).not.toBe(first);
  });
});

async function stillConnected(ids: readonly string[]): Promise<number> {
  const [rows] = await test.pool.query("SELECT id FROM information_schema.processlist WHERE id IN (?)", [ids]);
  return (rows as unknown[]).length;
}
