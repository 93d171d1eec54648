import { describe, expect, it } from "vitest";
import { benchOptions } from "./options.ts";

describe("benchOptions", () => {
  it("takes a scenario with its settings", () => {
    const options = benchOptions([
      "drain",
      "--rounds",
      "3",
      "--tasks",
      "500",
      "--kept",
      "0",
      "--only",
      "redrive,bare",
      "--workers",
      "2",
      "--warmup",
      "0.5",
    ]);
    expect(options).toMatchObject({
      scenario: "drain",
      rounds: 3,
      only: ["redrive", "bare"],
      json: false,
      peers: false,
      settings: { tasks: 500, kept: 0, workers: 2, warmup: 0.5 },
    });
  });

  it.each([
    [[], "name one scenario"],
    [["drain", "steady"], "name one scenario"],
    [["drain", "--rounds", "0"], "--rounds 0 is not a positive number"],
    [["drain", "--tasks", "many"], "--tasks many is not a positive number"],
    [["drain", "--speed", "9"], "--speed"],
  ])("refuses %j", (args, problem) => {
    expect(() => benchOptions(args)).toThrow(problem);
  });
});
