import { createPool, type Pool } from "mysql2/promise";
import { afterAll, describe, expect, it } from "vitest";
import { engineConfig, type EngineOptions } from "./config.ts";
import { RedriveError } from "./errors.ts";
import { defineHandler } from "./handler.ts";
import { createEngine } from "./index.ts";

// Never connects: only its settings are read.
const pool: Pool = createPool("mysql://nobody@127.0.0.1:1/none");
afterAll(() => pool.end());

const refusal = (options: object): string => {
  try {
    engineConfig({ database: pool, ...options } as EngineOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(RedriveError);
    expect((error as RedriveError).code).toBe("INVALID_OPTION");
    return (error as RedriveError).message;
  }
  throw new Error("was not refused");
};

describe("engine options", () => {
  it("have defaults whose relations hold", () => {
    const config = engineConfig({ database: pool });
    expect(config).toMatchObject({ eager: true, poll: true, zone: "+00:00", payloadBytesMax: 1_048_576 });
    expect(config.deadAfterMs).toBeGreaterThanOrEqual(3 * config.beatIntervalMs);
    // Recycled within 15 s: dead, seen by a recycler that looks every second, run.
    expect(config.deadAfterMs + config.recycleIntervalMs).toBeLessThan(15_000);
  });

  it("name every problem at once; an option nobody knows is one", () => {
    const message = refusal({ pollInterval: 5, connections: 1, payloadBytesMax: 0, zone: "Europe/Berlin" });
    for (const part of ["pollInterval", "connections", "payloadBytesMax"]) expect(message).toContain(part);
    expect(refusal({ zone: "Europe/Berlin" })).toContain("+08:00");
    expect(refusal({ zone: "+14:00" })).toContain("+14:00");
  });

  it("are checked in pairs", () => {
    expect(refusal({ beatIntervalMs: 1_000, deadAfterMs: 2_999 })).toContain("three times beatIntervalMs");
    expect(engineConfig({ database: pool, beatIntervalMs: 1_000, deadAfterMs: 3_000 }).deadAfterMs).toBe(3_000);
    expect(refusal({ deadAfterMs: 90_000 })).toContain("blockedAfterMs");
  });

  it("left undefined are defaults, null is a problem", () => {
    expect(engineConfig({ database: pool, origin: undefined, log: undefined } as EngineOptions).origin).toBeUndefined();
    expect(refusal({ connections: null })).toContain("connections");
  });

  it("refuse a handler that is declared twice, by exact name", () => {
    const handler = (eventType: string) => defineHandler({ eventType, handle: () => undefined });
    expect(refusal({ handlers: [handler("A"), handler("A")] })).toContain("A is declared twice");
    expect(engineConfig({ database: pool, handlers: [handler("A"), handler("a")] }).handlers).toHaveLength(2);
  });

  it("refuse a handler that defineHandler has not checked", () => {
    const unchecked = { eventType: "A", concurency: 3, handle: () => undefined };
    expect(refusal({ handlers: [unchecked] })).toContain("defineHandler");
    expect(refusal({ handlers: [undefined] })).toContain("defineHandler");
  });

  it.each([undefined, null, {}, "mysql://root@127.0.0.1/x", 5])("refuse %s as database", (database) => {
    expect(() => createEngine({ database: database as unknown as Pool })).toThrow(/mysql2\/promise pool or a Drizzle/);
  });
});
