import { describe, expect, it } from "vitest";
import { placeOf, withPath } from "./recent-places.ts";

describe("pages opened last", () => {
  it("are those of one object, known by its id", () => {
    expect(placeOf("/tasks/1970670598291982290")).toEqual({
      ...{ kind: "task", id: "1970670598291982290", path: "/tasks/1970670598291982290" },
    });
    expect(placeOf("/archive/7")?.kind).toBe("archived");
    expect(placeOf("/bulk/7")?.kind).toBe("bulk");
    for (const path of ["/", "/tasks", "/tasks/7/x", "/accounts/7", "/tasks/7?q=1", "//evil.example/tasks/7"]) {
      expect(placeOf(path)).toBeUndefined();
    }
  });

  it("stand once each, the newest first, and are few", () => {
    let paths: readonly string[] = [];
    for (const id of [1, 2, 3, 4, 5, 6, 4]) paths = withPath(paths, `/tasks/${id}`);
    expect(paths).toEqual(["/tasks/4", "/tasks/6", "/tasks/5", "/tasks/3", "/tasks/2"]);
    expect(withPath(paths, "/accounts")).toBe(paths);
  });
});
