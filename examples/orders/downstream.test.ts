import type { Server } from "node:http";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerTo, SYSTEMS } from "./downstream-behaviour.ts";
import { createDownstream } from "./downstream-server.ts";
import { parseDownstreamEnv } from "./env.ts";
import { listen } from "./json-http.ts";
import { Ledger, type LedgerEntry } from "./ledger.ts";
import { orderThat } from "./testing/order-that.ts";

const rates = parseDownstreamEnv({}).DOWNSTREAM_RATES;
const settings = { rates, slowMs: 0 };

describe("answerTo", () => {
  it("has every behaviour among the tasks of the first hundred orders", () => {
    const seen = new Set<string>();
    for (let number = 1; number <= 100; number++) {
      const orderId = `run-${String(number).padStart(6, "0")}`;
      for (const system of SYSTEMS) seen.add(answerTo({ system, orderId, attempt: 1 }, settings).behaviour);
    }
    expect([...seen].sort()).toEqual(["broken", "busy", "fine", "flaky", "hanging", "rejected", "slow"]);
  });

  it("refuses a flaky task twice, a busy one once, and a broken one always", () => {
    const statuses = (behaviour: "flaky" | "busy" | "broken") =>
      [1, 2, 3].map((attempt) => {
        const orderId = orderThat({ payment: behaviour }, settings);
        return answerTo({ system: "payment", orderId, attempt }, settings).status;
      });
    expect(statuses("flaky")).toEqual([500, 500, 200]);
    expect(statuses("busy")).toEqual([429, 200, 200]);
    expect(statuses("broken")).toEqual([500, 500, 500]);
  });

  it("answers alike in runs whose order ids begin differently", () => {
    const answers = ["one", "two"].map((run) =>
      Array.from({ length: 200 }, (_, number) =>
        answerTo({ system: "erp", orderId: `${run}-${number}`, attempt: 1 }, settings),
      ),
    );
    expect(answers[0]).toEqual(answers[1]);
  });
});

describe("downstream", () => {
  let directory: string;
  let ledger: Ledger;
  let server: Server;
  let url: string;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "redrive-downstream-"));
    ledger = new Ledger(join(directory, "ledger.jsonl"));
    server = createDownstream({ ledger, ...settings });
    url = `http://127.0.0.1:${await listen(server, 0)}`;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true });
  });

  const call = (orderId: string, headers: Record<string, string>) =>
    fetch(`${url}/payment`, { method: "POST", headers, body: JSON.stringify({ orderId }) });

  it("has one effect per idempotency key and writes down every call", async () => {
    const orderId = orderThat({ payment: "fine" }, settings);
    const headers = { "idempotency-key": "key-1", "x-task-id": "9007199254740993", "x-attempt": "1" };
    const bodies = [await call(orderId, headers), await call(orderId, headers)].map((response) => response.json());
    expect(await Promise.all(bodies)).toMatchObject([{ effect: "done" }, { effect: "replayed" }]);
    const summary = await (await fetch(`${url}/ledger/summary`)).json();
    expect(summary).toEqual({ calls: 2, effects: 1, replayed: 1, repeatedAttempts: 1, byStatus: { "200": 2 } });
    await ledger.close();
    const lines = readFileSync(join(directory, "ledger.jsonl"), "utf8").trimEnd().split("\n");
    const entries = lines.map((line) => JSON.parse(line) as LedgerEntry);
    expect(entries.map(({ taskId, effect }) => [taskId, effect])).toEqual([
      ["9007199254740993", "done"],
      ["9007199254740993", "replayed"],
    ]);
  });

  it("says when to come back if it is busy", async () => {
    const response = await call(orderThat({ payment: "busy" }, settings), { "idempotency-key": "key-2" });
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "1"]);
  });

  it("refuses calls that are none of its own", async () => {
    expect((await call("order-1", {})).status).toBe(400);
    expect((await fetch(`${url}/payment`)).status).toBe(405);
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
  });
});
