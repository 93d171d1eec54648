import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutUtf8, describeThrown, fingerprintOf, storedError } from "./error-text.ts";

const bytes = (text: string): number => Buffer.byteLength(text, "utf8");
const noPrototype = (): object => Object.assign(Object.create(null) as object, { code: 7 });
const withMessage = (message: unknown): Error => Object.defineProperty(new Error("x"), "message", { value: message });

describe("describeThrown", () => {
  it.each([
    ["null", null, "null"],
    ["undefined", undefined, "undefined"],
    ["an empty string", "", "empty string"],
    ["a text", "text", "text"],
    ["42", 42, "42"],
    ["false", false, "false"],
    ["an empty object", {}, "{}"],
    ["an object without prototype", noPrototype(), "code: 7"],
    ["an Error without a message", new Error(""), "no message"],
    ["an Error whose message is an object", withMessage({ reason: 9 }), "reason: 9"],
    ["an Error whose message is undefined", withMessage(undefined), "undefined"],
    ["a symbol", Symbol("sign"), "sign"],
    ["a bigint", 9_007_199_254_740_993n, "9007199254740993"],
    ["a function", function refuse() {}, "refuse"],
    ["an AggregateError", new AggregateError([new Error("one")], "many"), "many"],
  ])("tells of %s", (_, thrown, part) => {
    expect(describeThrown(thrown)).toContain(part);
  });

  it("names class, message, place and cause of an Error", () => {
    const error = new TypeError("outer went wrong", { cause: new RangeError("inner went wrong") });
    const text = describeThrown(error);
    expect(text.split("\n")[0]).toBe("TypeError: outer went wrong");
    expect(text).toContain("error-text.test.ts");
    expect(text).toContain("caused by RangeError: inner went wrong");
  });

  it("survives values that fight back", () => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const hostile = {
      get [Symbol.toStringTag](): string {
        throw new Error("no");
      },
      [Symbol.for("nodejs.util.inspect.custom")]: () => {
        throw new Error("no");
      },
    };
    const loop = new Error("loop");
    loop.cause = loop;
    for (const thrown of [revoked.proxy, hostile, loop]) expect(describeThrown(thrown)).not.toBe("");
  });

  it("is never empty, whatever was thrown", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withObjectString: true }), (thrown) => {
        expect(describeThrown(thrown).trim()).not.toBe("");
      }),
    );
  });
});

describe("cutUtf8", () => {
  it("leaves a text that fits as it is, on both sides of the limit", () => {
    const fits = "x".repeat(300);
    expect(cutUtf8(fits, 300)).toBe(fits);
    const cut = cutUtf8(`${fits}x`, 300);
    expect(cut.endsWith(" … [cut]")).toBe(true);
    expect(bytes(cut)).toBe(300);
  });

  it("cuts between characters and never through one", () => {
    for (let limit = 256; limit < 264; limit++) {
      const cut = cutUtf8("😀".repeat(200), limit);
      expect(cut).toMatch(/^(😀)+ … \[cut\]$/u);
      expect(bytes(cut)).toBeLessThanOrEqual(limit);
      expect(bytes(cut)).toBeGreaterThan(limit - 4);
      const chinese = cutUtf8("订单".repeat(200), limit);
      expect(chinese).toMatch(/^[订单]+ … \[cut\]$/);
      expect(bytes(chinese)).toBeLessThanOrEqual(limit);
    }
  });

  it("handles a megabyte, and counts bytes, not characters", () => {
    expect(bytes(cutUtf8("x".repeat(1_048_576), 8_192))).toBe(8_192);
    expect(cutUtf8("付".repeat(2_730), 8_192)).toHaveLength(2_730);
    expect(cutUtf8("付".repeat(2_731), 8_192)).toContain("[cut]");
  });

  it("for any text: within the limit, well formed, its own beginning, marked exactly if cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "é", "订", "😀", "\ud800", "\udc00", "\0", "\n")).map((parts) => parts.join("")),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 256, max: 600 }),
        (part, times, limit) => {
          const text = part.repeat(times);
          const cut = cutUtf8(text, limit);
          expect(bytes(cut)).toBeLessThanOrEqual(limit);
          expect(cut.isWellFormed()).toBe(true);
          const whole = text.toWellFormed();
          if (bytes(whole) <= limit) expect(cut).toBe(whole);
          else {
            expect(cut.endsWith(" … [cut]")).toBe(true);
            expect(whole.startsWith(cut.slice(0, -" … [cut]".length))).toBe(true);
          }
        },
      ),
    );
  });
});

describe("fingerprintOf", () => {
  it("groups errors that differ in numbers and ids, and parts different ones", () => {
    const one = fingerprintOf("Error: order 42 of 0b2f8f0e-1111-2222-3333-444455556666 timed out after 5003 ms");
    expect(fingerprintOf("Error: order 9 of aaaaaaaa-1111-2222-3333-444455556666 timed out after 12 ms")).toBe(one);
    expect(fingerprintOf("Error: order 42 was refused")).not.toBe(one);
    expect(one).toMatch(/^[0-9a-f]{16}$/);
  });

  it("looks at the first line only, so the place in the code does not matter", () => {
    expect(fingerprintOf("Error: x\n  at one")).toBe(fingerprintOf("Error: x\n  at other"));
  });
});

it("storedError cuts the text to its limit and keeps the fingerprint of the whole", () => {
  const error = new Error("付".repeat(400_000));
  const stored = storedError(error, 8_192);
  expect(bytes(stored.text)).toBeLessThanOrEqual(8_192);
  expect(stored.fingerprint).toBe(storedError(error, 60_000).fingerprint);
});
