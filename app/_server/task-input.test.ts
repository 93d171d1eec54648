import { describe, expect, it } from "vitest";
import { decodeCursor, encodeCursor } from "./task-cursor.ts";
import { resetInput } from "./task-action-input.ts";
import { taskId, taskListQuery } from "./task-input.ts";

describe("taskId", () => {
  it.each(["1", "9007199254740993", "9223372036854775807"])("keeps every digit of %s", (text) => {
    expect(taskId.parse(text)).toBe(text);
  });

  it.each(["0", "-1", "1.0", "1e3", "0x10", "007", " 1", "9223372036854775808", "99999999999999999999", "1;DROP"])(
    "refuses %s",
    (text) => {
      expect(taskId.safeParse(text).success).toBe(false);
    },
  );
});

describe("taskListQuery", () => {
  it("takes a cursor back as it was given out", () => {
    const cursor = { dueTime: "2026-09-24 14:03:20.123", id: "9007199254740993" };
    expect(decodeCursor(encodeCursor(cursor))).toEqual(cursor);
    expect(taskListQuery.parse({ status: "failed", cursor: encodeCursor(cursor) })).toEqual({
      status: "failed",
      limit: 50,
      cursor,
    });
  });

  it.each([
    ["a made-up cursor", { status: "failed", cursor: "'; DROP TABLE t_retry_task" }],
    ["an unknown parameter", { status: "failed", sort: "id" }],
    ["a limit out of range", { status: "failed", limit: "201" }],
    ["a limit that is no number", { status: "failed", limit: "5x" }],
    ["another status", { status: "running" }],
  ])("refuses %s", (_, query) => {
    expect(taskListQuery.safeParse(query).success).toBe(false);
  });
});

describe("resetInput", () => {
  it("takes a blank reason for none", () => {
    expect(resetInput.parse({ reason: "  " })).toEqual({ reason: undefined });
    expect(resetInput.parse({ reason: " downstream is back " })).toEqual({ reason: "downstream is back" });
  });

  it.each([
    ["a long reason", { reason: "x".repeat(501) }],
    ["an unknown field", { status: "succeeded" }],
    ["a list", []],
  ])("refuses %s", (_, body) => {
    expect(resetInput.safeParse(body).success).toBe(false);
  });
});
