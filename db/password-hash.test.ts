import { scryptSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hashPassword, verifyPassword } from "./password-hash.ts";

describe("a password hash", () => {
  it("fits its own password, however its characters are composed, and no other", async () => {
    const stored = await hashPassword("Café au lait 12");
    expect(stored).toMatch(/^scrypt\$15\$8\$3\$/);
    expect(await verifyPassword("Café au lait 12", stored)).toBe(true);
    expect(await verifyPassword("café au lait 12", stored)).toBe(false);
    expect(await verifyPassword("", stored)).toBe(false);
  });

  it("differs from hash to hash of one password", async () => {
    expect(await hashPassword("the same password")).not.toBe(await hashPassword("the same password"));
  });

  it("is checked with the parameters it carries", async () => {
    const salt = Buffer.alloc(16, 7);
    const key = scryptSync("an older password", salt, 32, { N: 2 ** 10, r: 4, p: 1 });
    const stored = `scrypt$10$4$1$${salt.toString("base64url")}$${key.toString("base64url")}`;
    expect(await verifyPassword("an older password", stored)).toBe(true);
    expect(await verifyPassword("an older passwort", stored)).toBe(false);
  });

  it.each([
    ["nobody", undefined],
    ["an empty text", ""],
    ["a plain password", "the same password"],
    ["a hash that asks for far too much memory", `scrypt$40$8$3$${"A".repeat(22)}$${"A".repeat(43)}`],
  ])("of %s fits no password", async (_, stored) => {
    expect(await verifyPassword("the same password", stored)).toBe(false);
  });
});
