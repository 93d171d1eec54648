import { describe, expect, it } from "vitest";
import { sameOriginPath } from "./same-origin-path.ts";

describe("the page that a sign-in returns to", () => {
  it.each(["/", "/tasks?q=a%20b&state=failed", "/tasks/42#attempts", "/?eventType=%3Cb%3E"])("may be %s", (path) => {
    expect(sameOriginPath(path)).toBe(path);
  });

  it.each([
    ...["https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example"],
    ...["/..//evil.example", "/.//evil.example", "javascript:alert(1)", "tasks", "", "http:evil.example"],
    ...["/sign-in", "/sign-in?to=/sign-in", "/sign-in/link#token", "/x/../sign-in"],
  ])("is the overview instead of %j", (text) => {
    expect(sameOriginPath(text)).toBe("/");
  });

  it("is the overview if none was asked for", () => {
    expect(sameOriginPath(undefined)).toBe("/");
    expect(sameOriginPath(null)).toBe("/");
  });
});
