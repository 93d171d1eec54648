import { expect, it } from "vitest";
import { faultProgram } from "../../testing/chaos/program.ts";
import { runChaos } from "../../testing/chaos/run.ts";

/** REDRIVE_CHAOS_SECONDS and REDRIVE_CHAOS_SEED make it shorter or longer, or another one; npm run chaos prints its figures. */
const SECONDS = Number(process.env["REDRIVE_CHAOS_SECONDS"] ?? 90);
const SEED = Number(process.env["REDRIVE_CHAOS_SEED"] ?? 20);

it("chaos: the same seed makes the same program, and every kind of fault is in it", () => {
  const options = { seed: SEED, lengthMs: 60_000, processes: 5, ownsServer: true };
  const program = faultProgram(options);
  expect(faultProgram(options)).toEqual(program);
  expect(faultProgram({ ...options, seed: SEED + 1 })).not.toEqual(program);
  expect(new Set(program.map(({ kind }) => kind)).size).toBe(15);
  const shared = faultProgram({ ...options, ownsServer: false });
  expect(shared.filter(({ kind }) => kind === "restart" || kind === "readOnly")).toEqual([]);
});

it(`chaos: ${SECONDS} s of faults leave every law unbroken`, { timeout: SECONDS * 1_000 + 600_000 }, async () => {
  const url = process.env["TEST_DATABASE_URL"] ?? "mysql://root@127.0.0.1:3316";
  const report = await runChaos({ seconds: SECONDS, seed: SEED, url, perSecond: 6 });
  expect(report.broken).toEqual([]);
  expect(report.tasks).toBeGreaterThan(50);
  expect(report.calls).toBeGreaterThanOrEqual(50);
});
