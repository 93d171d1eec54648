import type { Socket } from "node:net";
import mysql from "mysql2/promise";
import { afterAll, beforeAll, expect, it } from "vitest";
import { standBetween } from "../../db/testing/stand-between.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { waitFor } from "../testing/wait-for.ts";
import { createEngine } from "./index.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it("names a connection setting that a thread cannot be given, and leaves nothing behind", async () => {
  const authPlugins = { own: () => () => Buffer.alloc(0) };
  const pool = mysql.createPool({ ...test.connection, authPlugins });
  const engine = createEngine({ database: pool, zone: test.zone.name });
  await expect(engine.start()).rejects.toMatchObject({
    code: "INVALID_OPTION",
    message: expect.stringContaining('"authPlugins"') as string,
  });
  const [rows] = await test.pool.query("SELECT owner FROM t_retry_worker");
  expect(rows).toEqual([]);
  await engine.stop();
  await pool.end();
});

it("D3: closes a connection whose answer does not come, so that nothing said there later is heard", async () => {
  const unanswered: Socket[] = [];
  let isAnswered = true;
  const between = await standBetween(test.connection, (client, server) => {
    let isSilent = false;
    client.on("data", (chunk) => {
      if (!isAnswered && chunk.includes("UPDATE `t_retry_worker` SET beat_time")) {
        isSilent = true;
        unanswered.push(client);
      }
      if (!isSilent) server.write(chunk);
    });
    server.on("data", (chunk) => client.write(chunk));
    client.on("close", () => server.destroy());
  });
  const engine = createEngine({
    database: test.pool,
    zone: test.zone.name,
    connection: between.connection,
    beatIntervalMs: 100,
    deadAfterMs: 1_500,
    recycleIntervalMs: 200,
  });
  try {
    await engine.start();
    isAnswered = false;
    await waitFor("a beat to be left without an answer", () => unanswered.length > 0);
    // A socket that has only said that nothing more will come still takes what is written to it.
    await waitFor("its end", () => {
      for (const socket of unanswered) socket.write("?");
      return unanswered[0]?.destroyed;
    });
    isAnswered = true;
    await waitFor("a beat to be heard", () => engine.health().isAlive && engine.health().lastError === undefined);
  } finally {
    await engine.stop();
    between.close();
  }
});
