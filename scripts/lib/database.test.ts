import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { inRoot } from "./paths.mjs";

// Another checkout with a private database of its own.
const checkout = realpathSync(mkdtempSync(join(tmpdir(), "redrive-checkout-")));
const shared = join(checkout, "shared-tmp");
const run = (verb: string) =>
  promisify(execFile)(process.execPath, ["scripts/db.mjs", verb], {
    cwd: checkout,
    env: { ...process.env, DATABASE_URL: "", TMPDIR: shared },
  });
afterAll(async () => {
  await run("stop");
  rmSync(checkout, { recursive: true, force: true });
});

it("starts the private database without taking another server's temporary tables", async () => {
  mkdirSync(shared);
  cpSync(inRoot("scripts"), join(checkout, "scripts"), { recursive: true });
  cpSync(inRoot("package.json"), join(checkout, "package.json"));
  symlinkSync(inRoot("node_modules"), join(checkout, "node_modules"));
  const ofAnother = join(shared, "#sql-temptable-1-2-3.MAI");
  writeFileSync(ofAnother, "");
  expect((await run("start")).stdout).toMatch(/^mysql:\/\//m);
  expect(existsSync(ofAnother)).toBe(true);
});
