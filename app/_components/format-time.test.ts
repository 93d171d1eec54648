import { describe, expect, it } from "vitest";
import { describeZone, formatAgo, formatClock, formatDuration, formatInstant } from "./format-time.ts";

const instant = new Date("2026-09-24T06:03:20.900Z");

describe("formatInstant", () => {
  it.each([
    ["en", "Asia/Shanghai", "24 Sep 2026, 14:03:20"],
    ["zh-CN", "Asia/Shanghai", "2026-09-24 14:03:20"],
    ["zh-CN", "America/New_York", "2026-09-24 02:03:20"],
    ["en", "UTC", "24 Sep 2026, 06:03:20"],
  ])("writes %s in %s as %s", (locale, zone, expected) => {
    expect(formatInstant(instant, locale, zone).replace("Sept", "Sep")).toBe(expected);
  });

  it("writes midnight as 00 and not as 24", () => {
    expect(formatInstant(new Date("2026-09-24T00:00:00Z"), "en", "UTC")).toContain("00:00:00");
    expect(formatClock(new Date("2026-09-24T00:00:00Z"), "UTC")).toBe("00:00:00");
  });
});

describe("describeZone", () => {
  it.each([
    ["Asia/Shanghai", "2026-09-24T06:00:00Z", "Asia/Shanghai (UTC+8)"],
    ["America/New_York", "2026-10-31T12:00:00Z", "America/New_York (UTC-4)"],
    ["America/New_York", "2026-11-02T12:00:00Z", "America/New_York (UTC-5)"],
    ["UTC", "2026-09-24T06:00:00Z", "UTC"],
  ])("names %s at %s as %s", (zone, at, expected) => {
    expect(describeZone(zone, new Date(at))).toBe(expected);
  });
});

describe("formatAgo and formatDuration", () => {
  it("never speak of the future or of less than nothing", () => {
    expect(formatAgo(-5_000, "en")).toBe(formatAgo(0, "en"));
    expect(formatDuration(-1, "en")).toBe("0 sec");
  });

  it("change the unit exactly at its limit", () => {
    expect([59_999, 60_000, 3_599_999, 3_600_000].map((age) => formatAgo(age, "zh-CN"))).toEqual([
      "59 秒前",
      "1 分钟前",
      "59 分钟前",
      "1 小时前",
    ]);
  });

  it("show the two largest units", () => {
    expect(formatDuration(320_000, "en")).toBe("5 min 20 sec");
    expect(formatDuration(7_200_000, "en")).toBe("2 hr");
    expect(formatDuration(93_784_000, "zh-CN")).toBe("1 天 2 小时");
  });
});
