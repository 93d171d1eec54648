import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@playwright/test";

const root = fileURLToPath(new URL("..", import.meta.url));

test("the bench of the console runs at any size: every figure is printed, none is judged here", async () => {
  test.setTimeout(180_000);
  const sizes = ["--rows", "3000", "--archived", "3000", "--bulk", "300", "--looks", "2"];
  const people = ["--operators", "10", "--seconds", "2"];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "bench/main.ts", "console", ...sizes, ...people, "--fresh", "--drop"],
    { cwd: root, maxBuffer: 16_777_216 },
  );
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { group: string; figures: Record<string, unknown>; conditions: object });
  expect([...new Set(lines.map(({ group }) => group))].sort()).toEqual([
    "archive",
    "bulk",
    "counts",
    "dashboard",
    "detail",
    "list",
    "operators",
    "page",
    "whole list",
  ]);
  for (const { conditions } of lines) {
    expect(conditions).toMatchObject({ rows: 3000, archived: 3000, innodb_flush_log_at_trx_commit: expect.anything() });
  }
  expect(lines.find(({ group }) => group === "bulk")?.figures).toMatchObject({ done: 300, skipped: 0 });
});
