import { describe, expect, it } from "vitest";
import { EngineEvents } from "./engine/events.ts";
import { logEngineEvents } from "./log-events.ts";

function setUp() {
  const events = new EngineEvents();
  const lines: Record<string, unknown>[] = [];
  const write = (level: string) => (fields: object, message: string) => void lines.push({ level, message, ...fields });
  const log = { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const stop = logEngineEvents({ on: (name, listener) => events.on(name, listener) }, log, clock);
  return { events, lines, clock, stop };
}

describe("logEngineEvents", () => {
  it("P2: writes ids with every digit", () => {
    const { events, lines } = setUp();
    events.emit("failed", { eventType: "A", id: "9007199254740993", claimNo: 2, reason: "exhausted", error: "boom" });
    expect(lines).toEqual([expect.objectContaining({ level: "error", id: "9007199254740993", error: "boom" })]);
  });

  it("D3: limits what an outage repeats to one line per loop in 30 s, and says how many were left out", () => {
    const { events, lines, clock } = setUp();
    for (let pass = 0; pass < 1_000; pass++) {
      events.emit("loopError", { loop: "poller A", error: new Error("lost") });
      events.emit("loopError", { loop: "recycler", error: new Error("lost") });
    }
    expect(lines).toHaveLength(2);
    clock.nowMs = 30_000;
    events.emit("loopError", { loop: "recycler", error: new Error("lost") });
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatchObject({ loop: "recycler", suppressedLines: 999 });
  });

  it("lets 20 lines of one kind and type through in 10 s, and other types beside them", () => {
    const { events, lines } = setUp();
    for (let count = 0; count < 100; count++) events.emit("rejected", { eventType: "A", count: 1 });
    events.emit("rejected", { eventType: "B", count: 1 });
    expect(lines).toHaveLength(21);
  });

  it("is silent after it was stopped", () => {
    const { events, lines, stop } = setUp();
    stop();
    events.emit("recovered", { afterMs: 5 });
    expect(lines).toEqual([]);
  });
});
