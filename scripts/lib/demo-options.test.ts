import { describe, expect, it } from "vitest";
import { parseDemoOptions } from "./demo-options.mjs";

describe("parseDemoOptions", () => {
  it("reads flags with their number after a blank or an equals sign", () => {
    expect(parseDemoOptions(["--tasks", "500", "--exit"], {})).toMatchObject({ tasks: 500, exit: true });
    expect(parseDemoOptions(["--tasks=500", "--rate=7"], {})).toMatchObject({ tasks: 500, rate: 7, exit: false });
  });

  it("takes ports from the environment and the contract's defaults without it", () => {
    const ports = { console: 3000, worker: 3001, service: 3002, downstream: 3003 };
    expect(parseDemoOptions([], {}).ports).toEqual(ports);
    expect(parseDemoOptions([], { PORT: "4000", WORKER_PORT: "" }).ports).toEqual({ ...ports, console: 4000 });
  });

  it.each([
    [["--task", "5"], "Unknown option --task"],
    [["500"], "Unknown option 500"],
    [["--tasks"], "--tasks must be a whole number from 1 to 1000000, got nothing"],
    [["--tasks", "--exit"], 'got "--exit"'],
    [["--tasks", "0"], 'got "0"'],
    [["--tasks", "1e3"], 'got "1e3"'],
    [["--tasks", "-5"], 'got "-5"'],
    [["--exit"], "--exit needs --tasks"],
  ])("refuses %j", (args, message) => {
    expect(() => parseDemoOptions(args, {})).toThrow(message);
  });

  it("refuses a port that is none, by the name of its variable", () => {
    expect(() => parseDemoOptions([], { WORKER_PORT: "70000" })).toThrow("WORKER_PORT must be a whole number");
  });
});
