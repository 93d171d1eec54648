import { describe, expect, it } from "vitest";
import { accountName } from "./account-name.ts";

describe("the name of an account", () => {
  it.each(["ada", "ada.lovelace@example.com", "王小明", "o-7", "7"])("may be %s", (name) => {
    expect(accountName(` ${name} `)).toBe(name);
  });

  it("is stored composed", () => {
    expect(accountName("Jose\u0301")).toBe("José");
  });

  it.each(["", " ", "a b", "<b>", "=cmd|", ".ada", "a\u202eb", "a\nb", "n".repeat(65)])("may not be %j", (name) => {
    expect(accountName(name)).toBeUndefined();
  });
});
