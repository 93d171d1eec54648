import { afterEach, describe, expect, it } from "vitest";
import mysql from "mysql2/promise";
import { parseDatabaseUrl } from "../../db/connection-options.ts";
import type { Contestant, Entry } from "../contestant.ts";
import { payloadOf } from "../payload.ts";
import { WorkerProcesses } from "../worker-processes.ts";
import { article } from "./article.ts";
import { enterPeerTable } from "./peer-tables.ts";
import { redrive } from "./redrive.ts";

const entered: Entry[] = [];
afterEach(async () => {
  for (const entry of entered.splice(0)) await entry.leave();
});

async function enter(contestant: Pick<Contestant, "enter">): Promise<Entry> {
  const entry = await contestant.enter(undefined);
  entered.push(entry);
  return entry;
}

async function rowsIn(entry: Entry, text: string): Promise<Record<string, unknown>[]> {
  const connection = await mysql.createConnection(parseDatabaseUrl(entry.url));
  const [rows] = await connection.query(text);
  await connection.end();
  return rows as Record<string, unknown>[];
}

describe.each([redrive, article])("$name's table", (contestant) => {
  it("holds finished rows beside pending ones, of which a claim takes and ends fifty", async () => {
    const entry = await enter(contestant);
    await entry.fillFinished(10_001);
    await entry.preload(1, 120);
    expect(await entry.remaining()).toBe(120);
    expect((await entry.claim?.(50))?.rowsRead).toBeGreaterThanOrEqual(50);
    expect(await entry.remaining()).toBe(70);
    const [kept] = await rowsIn(entry, "SELECT COUNT(*) AS count, COUNT(DISTINCT biz_key) AS names FROM t_retry_task");
    expect(kept).toEqual({ count: 10_121, names: 10_121 });
  });
});

const PEER = {
  table: "jobs",
  setUp: async (test: Parameters<Parameters<typeof enterPeerTable>[1]["setUp"]>[0]) => {
    await test.pool.query(
      "CREATE TABLE jobs (id INT AUTO_INCREMENT PRIMARY KEY, queue VARCHAR(9), state VARCHAR(9), args TEXT, letters INT AS (CHAR_LENGTH(args)))",
    );
    await test.pool.query("INSERT INTO jobs (queue, state, args) VALUES ('bench', 'waiting', '')");
  },
  pending: (payload: string) => ({ args: payload }),
  finished: { state: "'done'" },
  omit: [],
  open: "state = 'waiting'",
};

describe("a peer's table", () => {
  it("is filled with copies of the row that the peer made, each with the payload of its number", async () => {
    const entry = await enter({ enter: (server) => enterPeerTable(server, PEER) });
    await entry.fillFinished(2);
    await entry.preload(41, 2);
    expect(await entry.remaining()).toBe(2);
    const rows = await rowsIn(entry, "SELECT queue, args FROM jobs WHERE state = 'waiting' ORDER BY id");
    expect(rows.map((row) => [row["queue"], JSON.parse(String(row["args"]))])).toEqual([
      ["bench", payloadOf(41)],
      ["bench", payloadOf(42)],
    ]);
  });
});

describe("worker processes", () => {
  it("run every task of a store once between them, and tell what they used", async () => {
    const entry = await enter(redrive);
    await entry.preload(1, 600);
    const processes = await WorkerProcesses.start(2, { contestant: "redrive", store: entry.url, concurrency: 4 });
    try {
      processes.work();
      await expect.poll(() => entry.remaining(), { timeout: 60_000 }).toBe(0);
      const used = await processes.stop();
      expect([processes.starts.length, processes.started.size]).toEqual([600, 600]);
      expect(used.statements).toBeGreaterThan(0);
    } finally {
      await processes.kill();
    }
  });
});
