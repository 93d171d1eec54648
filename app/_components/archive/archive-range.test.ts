import { describe, expect, it } from "vitest";
import { fromField, isAskable, lastDays, recentMonths, toField } from "./archive-range.ts";

const NOW = new Date("2026-11-29T20:00:30.000Z");

describe("months of the archive", () => {
  it("begin and end as the clocks of the zone do, and never exceed 31 days", () => {
    expect(recentMonths(NOW, "UTC").slice(0, 2)).toMatchObject([
      { from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" },
      { from: "2026-10-01T00:00:00.000Z", to: "2026-11-01T00:00:00.000Z" },
    ]);
    expect(recentMonths(NOW, "Asia/Shanghai")[0]).toMatchObject({
      from: "2026-10-31T16:00:00.000Z",
      to: "2026-11-30T16:00:00.000Z",
    });
    // October has 31 days and an hour where the clocks go back in it.
    expect(recentMonths(NOW, "Europe/Berlin")[1]).toMatchObject({
      from: "2026-09-30T23:00:00.000Z",
      to: "2026-10-31T23:00:00.000Z",
    });
    for (const timeZone of ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]) {
      for (const { from, to } of recentMonths(NOW, timeZone)) expect(isAskable(from, to)).toBe(true);
    }
  });

  it("are told from the year before", () => {
    expect(recentMonths(new Date("2026-01-15T00:00:00Z"), "UTC")[1]).toMatchObject({
      from: "2025-12-01T00:00:00.000Z",
      to: "2026-01-01T00:00:00.000Z",
    });
  });
});

describe("fields for date and time", () => {
  it.each(["UTC", "Asia/Shanghai", "America/New_York", "Asia/Kathmandu"])(
    "give back the minute they were given in %s",
    (timeZone) => {
      for (const instant of ["2026-01-15T10:20:00.000Z", "2026-07-15T23:59:00.000Z"]) {
        expect(fromField(toField(instant, timeZone), timeZone)).toBe(instant);
      }
    },
  );

  it("say nothing while they are not whole", () => {
    expect([fromField("", "UTC"), fromField("2026-13-01T00:00", "UTC"), toField("nonsense", "UTC")]).toEqual([
      undefined,
      undefined,
      "",
    ]);
  });
});

it("a time can be asked for if it has an end after its start, at most 31 days later", () => {
  const { from, to } = lastDays(NOW, 31);
  expect(to).toBe("2026-11-29T20:01:00.000Z");
  expect([
    isAskable(from, to),
    isAskable(to, from),
    isAskable(to, to),
    isAskable(from, "2026-11-29T20:01:00.001Z"),
    isAskable(undefined, to),
  ]).toEqual([true, false, false, false, false]);
});
