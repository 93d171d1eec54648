import { describe, expect, it } from "vitest";
import { closestName } from "./closest-name.ts";

const VERBS = ["migrate", "doctor", "status", "list", "show", "reset"];

describe("closestName", () => {
  it.each([
    ["statsu", "status"],
    ["STATUS", "status"],
    ["migrat", "migrate"],
    ["resset", "reset"],
    ["shwo", "show"],
  ])("takes %s for %s", (given, expected) => {
    expect(closestName(given, VERBS)).toBe(expected);
  });

  it.each(["x", "archive", "completely-different", ""])("finds nothing near %s", (given) => {
    expect(closestName(given, VERBS)).toBeUndefined();
  });
});
