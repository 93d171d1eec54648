import { describe, expect, it } from "vitest";
import { errorParts, isOwnFrame } from "./error-parts.ts";

describe("errorParts", () => {
  it("takes name, message, frames and cause apart", () => {
    const text =
      "HttpError: 500\nsecond line\n    at grant (handlers/pay.ts:41:11)\n    at run (node:internal/x:1:1)\ncaused by Error: x";
    expect(errorParts(text)).toEqual({
      name: "HttpError",
      headline: "HttpError: 500",
      rest: "second line\ncaused by Error: x",
      frames: ["at grant (handlers/pay.ts:41:11)", "at run (node:internal/x:1:1)"],
    });
    expect(errorParts(text).frames.filter(isOwnFrame)).toEqual(["at grant (handlers/pay.ts:41:11)"]);
  });

  it("takes any text", () => {
    expect(errorParts("")).toEqual({ name: undefined, headline: "", rest: "", frames: [] });
    expect(errorParts("it broke: badly")).toMatchObject({ name: undefined, headline: "it broke: badly" });
    expect(errorParts("Error (no message)")).toMatchObject({ name: "Error" });
  });
});
