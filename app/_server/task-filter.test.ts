import { describe, expect, it } from "vitest";
import * as z from "zod";
import { filterHash, filterOf, taskFilter, taskFilterQuery } from "./task-filter.ts";

const query = z.strictObject({ ...taskFilterQuery, limit: z.string().optional() });
const read = (words: Record<string, string>) => filterOf(query.parse(words));

describe("taskFilterQuery", () => {
  it("takes no words as a filter of all tasks", () => {
    expect(read({})).toEqual({ state: "all" });
  });

  it("reads every part, lists sorted and once", () => {
    const filter = read({
      state: "failed",
      eventType: "PAY,A%2CB,PAY",
      bizKeyPrefix: "order-",
      ids: "9007199254740993,2,",
      cause: "f1",
      errorText: "time out",
      worker: "w-1",
      minAttempts: "3",
      recycled: "true",
      overdueSeconds: "300",
      createdFrom: "2026-09-24T08:00:00+08:00",
      limit: "50",
    });
    expect(filter).toEqual({
      state: "failed",
      eventTypes: ["A,B", "PAY"],
      bizKeyPrefix: "order-",
      ids: ["2", "9007199254740993"],
      cause: "f1",
      errorText: "time out",
      worker: "w-1",
      minAttempts: 3,
      recycled: true,
      overdueSeconds: 300,
      createdFrom: new Date("2026-09-24T00:00:00Z"),
    });
    expect(taskFilter.parse(JSON.parse(JSON.stringify(filter))), "survives being stored as JSON").toEqual(filter);
  });

  it.each([
    { state: "dead" },
    { ids: "1;DROP TABLE" },
    { ids: "9223372036854775808" },
    { ids: Array.from({ length: 501 }, (_, n) => n + 1).join(",") },
    { eventType: "%" },
    { minAttempts: "0" },
    { recycled: "yes" },
    { createdFrom: "yesterday" },
    { bizKey: "x".repeat(129) },
    { unknown: "1" },
  ])("refuses %o", (words) => {
    expect(query.safeParse(words).success).toBe(false);
  });
});

describe("filterHash", () => {
  it("is the same for the same filter in another order, and another for any other", () => {
    expect(filterHash(read({ state: "due", eventType: "A,B" }))).toBe(
      filterHash(read({ eventType: "B,A", state: "due" })),
    );
    expect(filterHash(read({ bizKey: "a" }))).not.toBe(filterHash(read({ bizKeyPrefix: "a" })));
    expect(filterHash(read({}), ["asc"])).not.toBe(filterHash(read({}), ["desc"]));
  });
});
