import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { cpuSecondsOf, residentMb } from "./server-process.ts";

/** Some 0.3 s of work. */
const LOOP = "let sum = 0; for (let n = 0; n < 3e8; n++) sum += n;";

it.runIf(process.platform === "linux")("counts the processor time of children that have ended", () => {
  const before = cpuSecondsOf(process.pid) ?? Number.NaN;
  spawnSync(process.execPath, ["-e", LOOP]);
  expect((cpuSecondsOf(process.pid) ?? Number.NaN) - before).toBeGreaterThanOrEqual(0.1);
});

it.runIf(process.platform === "linux")("reads resident memory, and nothing of a process that is gone", () => {
  expect(residentMb(process.pid)).toBeGreaterThan(10);
  expect(residentMb(2 ** 30)).toBeNaN();
});
