import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { withCrashMatrix } from "../worker/testing/crash-matrix.ts";

const DOCUMENT = new URL("../docs/guarantees.md", import.meta.url);
const text = readFileSync(DOCUMENT, "utf8");

describe("docs/guarantees.md", () => {
  it("holds the crash matrix that npm run docs:guarantees writes", () => {
    expect(text).toBe(withCrashMatrix(text));
  });

  it("names tests that exist and that say what they are cited for", () => {
    const proofs = [...text.matchAll(/\[([^\]]+)\]\(([^)]+\.test\.ts)\)/g)].map(([, name = "", path = ""]) => ({
      name,
      path,
    }));
    expect(proofs.length).toBeGreaterThan(20);
    const wrong = proofs.filter(({ name, path }) => {
      const file = new URL(path, DOCUMENT);
      return !existsSync(file) || !readFileSync(file, "utf8").includes(name);
    });
    expect(wrong).toEqual([]);
  });

  it("gives every law a proof", () => {
    const laws = text.split("\n").filter((line) => /^\| \d+ \|/.test(line));
    expect(laws.map((line) => Number(line.split("|")[1]))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(laws.filter((line) => !line.includes(".test.ts)"))).toEqual([]);
  });
});
