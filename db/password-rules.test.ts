import { describe, expect, it } from "vitest";
import { passwordProblem } from "./password-rules.ts";

describe("a new password", () => {
  it.each([
    ["a phrase", "correct horse battery"],
    ["random characters", "x7Fp2-kQ9vLm"],
    ["a Chinese sentence", "我家门口的那棵老槐树今年又开花"],
    ["a common word among others", "the password of my garden"],
  ])("may be %s", (_, password) => {
    expect(passwordProblem(password, "ada")).toBeUndefined();
  });

  it.each([
    ["eleven characters", "x7Fp2-kQ9vL", "too_short"],
    ["eleven characters that take more bytes", "我家门口的那棵老槐树今", "too_short"],
    ["257 characters", "x7Fp2-kQ9vLm".repeat(22), "too_long"],
    ["a word with a year and a mark", "Password2026!!", "common"],
    ["several such words", "redrive-admin-console", "common"],
    ["a run of digits", "123456789012345", "common"],
    ["a run backwards", "zyxwvutsrqponm", "common"],
    ["a row of keys", "qwertyuiop1234", "common"],
    ["one character again and again", "aaaaaaaaaaaaaaaa", "common"],
    ["two characters in turn", "abababababababab", "common"],
    ["the account's name twice", "Ada.LovelaceADA.lovelace", "holds_name"],
  ])("may not be %s", (_, password, problem) => {
    expect(passwordProblem(password, "ada.lovelace")).toBe(problem);
  });
});
