import { describe, expect, it } from "vitest";
import { visibleText } from "./visible-text.ts";

describe("visibleText", () => {
  it.each([
    ["a bidirectional override", "invoice\u202Egpj.exe", "invoice‹U+202E›gpj.exe"],
    ["a terminal escape", "\u001b[31mred", "‹U+001B›[31mred"],
    ["a zero-width space", "a\u200bb", "a‹U+200B›b"],
    ["a NUL", "a\u0000b", "a‹U+0000›b"],
    ["line breaks and tabs", "a\r\nb\tc", "a b c"],
    ["markup, emoji and Chinese", "<img src=x onerror=alert(1)> 🧾 订单", "<img src=x onerror=alert(1)> 🧾 订单"],
  ])("shows %s", (_, given, expected) => {
    expect(visibleText(given)).toBe(expected);
  });
});
