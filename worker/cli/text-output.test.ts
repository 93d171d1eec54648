import { describe, expect, it } from "vitest";
import { SessionZone } from "../../db/session-zone.ts";
import { durationText } from "./duration-text.ts";
import { displayWidth, textPairs, textTable } from "./text-table.ts";
import { headOf, instantText, printable } from "./text-values.ts";

describe("durationText", () => {
  it.each([
    [-5, "0 ms"],
    [0, "0 ms"],
    [999, "999 ms"],
    [1_000, "1 s"],
    [59_999, "1 m"],
    [250_000, "4 m 10 s"],
    [10_800_000, "3 h"],
    [190_800_000, "2 d 5 h"],
    [86_401_000, "1 d"],
  ])("writes %i ms as %s", (ms, expected) => {
    expect(durationText(ms)).toBe(expected);
  });
});

describe("text for people", () => {
  it("T1: writes instants with their zone", () => {
    const instant = new Date("2026-10-25T00:30:00.123Z");
    expect(instantText(SessionZone.parse("+08:00"), instant)).toBe("2026-10-25 08:30:00.123 +08:00");
    expect(instantText(SessionZone.utc, undefined)).toBe("-");
  });

  it("X1: makes control characters visible, so that stored text cannot drive the terminal", () => {
    expect(printable("\u001b[2Jgone\r\n\u0007")).toBe("\\u001b[2Jgone\\u000d\\n\\u0007");
    expect(printable("a\nb\tc\u202e", true)).toBe("a\nb\tc\\u202e");
  });

  it("cuts between characters and marks the cut", () => {
    expect(headOf("😀😀😀", 3)).toBe("😀😀😀");
    expect(headOf("😀😀😀😀", 3)).toBe("😀😀…");
  });

  it("aligns columns by the places that characters take", () => {
    expect(displayWidth("订单e\u0301😀")).toBe(7);
    const table = textTable(
      [{ title: "KEY" }, { title: "N", isNumber: true }],
      [
        ["订单", "7"],
        ["a", "12345"],
      ],
    );
    expect(table).toBe("KEY       N\n订单      7\na     12345");
  });

  it("indents the further lines of a value", () => {
    expect(
      textPairs([
        ["id", "1"],
        ["error", "a\nb"],
      ]),
    ).toBe("id     1\nerror  a\n       b");
  });
});
