import { describe, expect, it } from "vitest";
import { chooseLocale } from "./locales.ts";

describe("chooseLocale", () => {
  it.each([
    ["the chosen language before that of the browser", "zh-CN", "en-GB,en", "zh-CN"],
    ["the browser's first language that is spoken here", undefined, "fr-FR,fr;q=0.9,zh-TW;q=0.8,en;q=0.7", "zh-CN"],
    ["qualities, not the order of writing", undefined, "zh;q=0.2,en;q=0.9", "en"],
    ["no language with quality 0", undefined, "zh;q=0", "en"],
    ["English for a cookie that names no language", "<script>", "", "en"],
    ["English without any wish", undefined, null, "en"],
  ])("takes %s", (_, chosen, accepted, expected) => {
    expect(chooseLocale(chosen, accepted)).toBe(expected);
  });
});
