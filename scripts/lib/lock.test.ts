import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withLock } from "./lock.mjs";

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "redrive-lock-"));
  path = join(directory, "lock");
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function leaveLockOf(holder: unknown) {
  mkdirSync(path);
  writeFileSync(join(path, "holder.json"), typeof holder === "string" ? holder : JSON.stringify(holder));
}

test("lets one holder in at a time and names it to the others", async () => {
  let inside = 0;
  let most = 0;
  const waitedFor: number[] = [];
  const enter = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  await Promise.all(
    Array.from({ length: 5 }, () => withLock(path, enter, { onWait: (pid: number) => waitedFor.push(pid) })),
  );
  expect(most).toBe(1);
  expect(waitedFor.length).toBeGreaterThan(0);
  expect(new Set(waitedFor)).toEqual(new Set([process.pid]));
});

test("takes over the lock of a process that has died", async () => {
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  leaveLockOf({ pid: dead, start: "1" });
  expect(await withLock(path, async () => "entered")).toBe("entered");
});

test("takes over from a process whose pid now belongs to another one", async () => {
  leaveLockOf({ pid: process.pid, start: "an earlier start" });
  expect(await withLock(path, async () => "entered")).toBe("entered");
});

test("takes over a lock whose holder was never written out", async () => {
  leaveLockOf("");
  expect(await withLock(path, async () => "entered")).toBe("entered");
});

test("is free again after a failure, with nothing left over", async () => {
  const failing = withLock(path, async () => {
    throw new Error("broken");
  });
  await expect(failing).rejects.toThrow("broken");
  expect(existsSync(path)).toBe(false);
  expect(readdirSync(directory)).toEqual([]);
});
