import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withMaskedHead } from "./mask-head.ts";

/** Takes nothing but ids and types from the rows it reads. */
const SENDS_NO_HEADS = ["bulk-replay-scope.ts"];

it("masks what is sensitive in the head of an error, and leaves a row without one", () => {
  const row = { id: "1", errorHead: "refused for 13812345678" };
  expect(withMaskedHead(row).errorHead).not.toContain("13812345678");
  const plain = { id: "1", errorHead: undefined };
  expect(withMaskedHead(plain)).toBe(plain);
});

it("is what every list, file and sample with heads of errors goes through", () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
    (name) =>
      name.endsWith(".ts") &&
      !name.endsWith(".test.ts") &&
      !name.startsWith("openapi") &&
      !SENDS_NO_HEADS.includes(name),
  );
  const unmasked = files.filter((name) => {
    const code = readFileSync(join(import.meta.dirname, name), "utf8");
    const sends = /\b(searchTasks|refreshRows|readSamples|readErrorHeads|browseArchive|readFailedTasks)\(/.test(code);
    return sends && !/\b(withMaskedHead|maskText|redactText)\(/.test(code) && !/\.map\(withMaskedHead\)/.test(code);
  });
  expect(unmasked).toEqual([]);
});
