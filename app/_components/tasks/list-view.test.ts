import { describe, expect, it } from "vitest";
import { filterOf, taskFilter } from "../../_server/task-filter.ts";
import { taskPageQuery } from "../../_server/task-list-input.ts";
import { countedView, jsonFilter, joinWords, type ListView, pagePath, savedQuery, splitWords } from "./list-view.ts";

const VIEW: ListView = {
  state: "failed",
  filter: {
    ...{ eventType: joinWords(["A,B", "50%"]) ?? "", bizKeyPrefix: "a b&c", ids: "1,2", cause: "f1", minAttempts: "3" },
    ...{ recycled: "true", wasReset: "true", bulkId: "7", overdueSeconds: "60" },
    createdFrom: "2026-01-01T00:00:00.000Z",
  },
  sort: "due.asc",
  cursor: "abc",
  at: undefined,
  task: undefined,
  limit: "100",
  columns: "bizKey",
};

describe("a view", () => {
  it("is read by the API as the page means it, in words and as JSON", () => {
    const words = new URL(pagePath(VIEW), "http://x").searchParams;
    const { limit, cursor, sort, ...query } = taskPageQuery.parse(Object.fromEntries(words));
    expect({ limit, cursor, sort }).toEqual({ limit: 100, cursor: "abc", sort: { by: "due", direction: "asc" } });
    const filter = filterOf(query);
    expect(filter).toMatchObject({
      state: "failed",
      eventTypes: ["50%", "A,B"],
      bizKeyPrefix: "a b&c",
      minAttempts: 3,
    });
    expect(taskFilter.parse(jsonFilter(VIEW))).toEqual(filter);
  });

  it("begins at its instant only where no cursor says where", () => {
    const jumped: ListView = { ...VIEW, cursor: undefined, at: "2026-01-02T00:00:00.000Z" };
    expect(new URL(pagePath(jumped), "http://x").searchParams.get("at")).toBe("2026-01-02T00:00:00.000Z");
    expect(pagePath({ ...jumped, cursor: "abc" })).not.toContain("at=");
  });

  it("keeps a search within payloads out of what is counted, taken as a file and acted on", () => {
    const searched: ListView = { ...VIEW, filter: { ...VIEW.filter, payload: "A-77" } };
    expect(pagePath(searched)).toContain("payload=A-77");
    expect(countedView(searched)).toEqual({ state: VIEW.state, filter: VIEW.filter });
    expect(jsonFilter(searched)).toEqual(jsonFilter(VIEW));
  });

  it("is short where nothing is narrowed, and is saved without its place", () => {
    const plain: ListView = { ...VIEW, state: "all", filter: {}, sort: undefined, cursor: undefined, limit: "50" };
    expect(pagePath(plain)).toBe("/api/v1/tasks");
    expect(savedQuery(VIEW)).not.toMatch(/cursor|limit/);
  });

  it("keeps words apart whatever they contain", () => {
    const names = ["a,b", "%2C", "100%", "ü"];
    expect(splitWords(joinWords(names) ?? "")).toEqual(names);
    expect(joinWords([])).toBeNull();
  });
});
