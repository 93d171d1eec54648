import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/mysql2";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { createEngine, type DrizzleTransaction, type Engine } from "../../worker/engine/index.ts";
import { createTables } from "./create-tables.ts";
import { createDownstream } from "./downstream-server.ts";
import { parseDownstreamEnv } from "./env.ts";
import orderHandlers from "./handlers.ts";
import { closeServer, listen } from "./json-http.ts";
import { Ledger } from "./ledger.ts";
import { createOrderServer } from "./order-server.ts";
import { orderThat } from "./testing/order-that.ts";

const settings = { rates: parseDownstreamEnv({}).DOWNSTREAM_RATES, slowMs: 0 };
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe("order service", () => {
  let test: TestDatabase;
  let directory: string;
  let ledger: Ledger;
  let downstream: Server;
  let engine: Engine<DrizzleTransaction>;
  let server: Server;
  let url: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    directory = mkdtempSync(join(tmpdir(), "redrive-orders-"));
    ledger = new Ledger(join(directory, "ledger.jsonl"));
    downstream = createDownstream({ ledger, ...settings });
    const db = drizzle(test.pool);
    await createTables(db);
    const handlers = await orderHandlers({
      DOWNSTREAM_URL: `http://127.0.0.1:${await listen(downstream, 0)}`,
      ORDER_POLL_INTERVAL_MS: "50",
      ORDER_TIME_LIMIT_MS: "500",
      ORDER_RETRY_MAX: "2",
    });
    engine = createEngine({ database: db, handlers });
    await engine.start();
    server = createOrderServer(engine, silent);
    url = `http://127.0.0.1:${await listen(server, 0)}`;
  });

  afterAll(async () => {
    await closeServer(server);
    await engine.stop();
    downstream.closeAllConnections();
    await closeServer(downstream);
    await ledger.close();
    await test.drop();
    rmSync(directory, { recursive: true });
  });

  const post = (body: unknown) =>
    fetch(`${url}/orders`, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });

  const tasksOf = async (id: string) => {
    const [rows] = await test.pool.query(
      "SELECT event_type, status, retry_count, finish_reason FROM t_retry_task WHERE biz_key = ? ORDER BY event_type",
      [id],
    );
    return (rows as { event_type: string; status: number; retry_count: number; finish_reason: string }[]).map((row) =>
      [row.event_type, row.status, row.retry_count, row.finish_reason].join(" "),
    );
  };

  const paidCountOf = async (id: string) => {
    const [rows] = await test.pool.query("SELECT paid_count FROM demo_order WHERE id = ?", [id]);
    return (rows as { paid_count: number }[]).map((row) => row.paid_count);
  };

  const placed = async (id: string) => {
    expect((await post({ id, amountCents: 100, phone: "+49301234567" })).status).toBe(201);
  };

  const eventually = <Value>(read: () => Promise<Value>, wanted: Value) =>
    vi.waitFor(async () => expect(await read()).toEqual(wanted), { timeout: 15_000, interval: 25 });

  it("runs the tasks of a committed order and books its payment once", async () => {
    const id = orderThat({}, settings);
    await placed(id);
    await eventually(() => tasksOf(id), ["PAY_ORDER 1 0 success", "SEND_SMS 1 0 success", "SYNC_ERP 1 0 success"]);
    expect(await paidCountOf(id)).toEqual([1]);
    const stats = (await (await fetch(`${url}/stats`)).json()) as { eagerStartMs: { count: number } };
    expect(stats.eagerStartMs.count).toBeGreaterThanOrEqual(3);
  });

  it("gives up at once on 422, after all attempts on 500, and tries again after 429 and after a call that hangs", async () => {
    const id = orderThat({ payment: "rejected", sms: "broken", erp: "busy" }, settings);
    const hanging = orderThat({ payment: "hanging" }, settings);
    await placed(id);
    await placed(hanging);
    await eventually(
      () => tasksOf(id),
      ["PAY_ORDER 2 1 non_retryable", "SEND_SMS 2 2 exhausted", "SYNC_ERP 1 1 success"],
    );
    expect(await paidCountOf(id)).toEqual([0]);
    await eventually(() => tasksOf(hanging), ["PAY_ORDER 1 1 success", "SEND_SMS 1 0 success", "SYNC_ERP 1 0 success"]);
    expect(await paidCountOf(hanging)).toEqual([1]);
  });

  it("creates only the tasks that the order needs", async () => {
    const id = orderThat({}, settings, "small");
    expect((await post({ id, amountCents: 100, syncErp: false })).status).toBe(201);
    await eventually(() => tasksOf(id), ["PAY_ORDER 1 0 success"]);
  });

  it("refuses what it cannot take, and leaves neither order nor task behind", async () => {
    const id = orderThat({}, settings, "twice");
    await placed(id);
    expect((await post({ id, amountCents: 200, phone: "+49301234567" })).status).toBe(409);
    expect(await tasksOf(id)).toHaveLength(3);
    expect((await post({ id: "wrong-1", amountCents: -5 })).status).toBe(400);
    expect((await post("{")).status).toBe(400);
    expect((await post({ id: "wrong-2", amountCents: 5, phone: "x".repeat(70_000) })).status).toBe(413);
    expect((await fetch(`${url}/orders`)).status).toBe(405);
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    expect(await tasksOf("wrong-1")).toEqual([]);
    expect(await paidCountOf("wrong-1")).toEqual([]);
  });
});
