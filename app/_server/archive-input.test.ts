import { expect, it } from "vitest";
import { archiveFilterQuery } from "./archive-input.ts";

it.each([
  ["two instants", { from: "2026-11-01T00:00:00Z", to: "2026-11-02T00:00:00Z" }, true],
  ["31 days", { from: "2026-10-01T00:00:00Z", to: "2026-11-01T00:00:00Z" }, true],
  ["a moment more", { from: "2026-10-01T00:00:00Z", to: "2026-11-01T00:00:00.001Z" }, false],
  ["an end before its start", { from: "2026-11-02T00:00:00Z", to: "2026-11-01T00:00:00Z" }, false],
  ["empty texts", { from: "", to: "" }, false],
  ["a text and an instant", { from: "yesterday", to: "2026-11-02T00:00:00Z" }, false],
])("a range of %s", (_, query, isValid) => {
  expect(archiveFilterQuery.safeParse(query).success).toBe(isValid);
});
