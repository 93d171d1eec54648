import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapePartitionValue, partPath } from "./partition-path.ts";

/** Hive's FileUtils.unescapePathName: two hexadecimal digits after a percent sign are one character. */
const unescape = (text: string): string =>
  text.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

describe("the folder of an event type", () => {
  it.each([
    ["PAY_ORDER", "PAY_ORDER"],
    ["a/b", "a%2Fb"],
    ["..", ".."],
    ["a=b c", "a%3Db c"],
    ["100%", "100%25"],
    ["订单", "订单"],
    ["", "__HIVE_DEFAULT_PARTITION__"],
    ["__HIVE_DEFAULT_PARTITION__", "%5F_HIVE_DEFAULT_PARTITION__"],
    ["it's [x]{y}^:?*\"\\#\u0007", "it%27s %5Bx%5D%7By}%5E%3A%3F%2A%22%5C%23%07"],
  ])("of %j is %j, as Hive writes it", (eventType, folder) => {
    expect(escapePartitionValue(eventType)).toBe(folder);
  });

  it("is one name without a slash that fits any file system, and is read back by Hive's rule", () => {
    const anyType = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(anyType, (eventType) => {
        const folder = escapePartitionValue(eventType);
        expect(folder).not.toMatch(/[/\\\0=]/);
        expect(Buffer.byteLength(folder)).toBeLessThanOrEqual(240);
        if (!folder.includes("~")) expect(unescape(folder)).toBe(eventType);
      }),
    );
    expect(Buffer.byteLength(escapePartitionValue("😀".repeat(64)))).toBeLessThanOrEqual(240);
    expect(escapePartitionValue("😀".repeat(64))).not.toBe(escapePartitionValue(`${"😀".repeat(63)}x`));
  });

  it("keeps files of types apart that a file system takes for one", () => {
    const [upper, lower] = ["PAY", "pay"].map((eventType) => partPath("tasks", "2026-11-01", eventType, 0));
    expect(upper?.toLowerCase()).not.toBe(lower?.toLowerCase());
  });
});
