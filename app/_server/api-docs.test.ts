import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { PROBLEM_STATUS } from "./console-error.ts";

it("docs/api.md names every problem with its status, and no other", () => {
  const text = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  const table = Object.fromEntries(
    [...text.matchAll(/^\| `(\w+)` \| (\d{3}) \| \S/gm)].map(([, code = "", status]) => [code, Number(status)]),
  );
  expect(table).toEqual({ ...PROBLEM_STATUS });
});
