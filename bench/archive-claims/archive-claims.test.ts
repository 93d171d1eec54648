import { expect, it } from "vitest";
import { archiveClaimsOptions, runArchiveClaims } from "./archive-claims.ts";

it("claims by turns without and with the archiver, until everything is moved", async () => {
  const lines: Record<string, unknown>[] = [];
  const options = archiveClaimsOptions(["--rows", "3000", "--seconds", "1", "--rate", "20000", "--business", "20"]);
  await runArchiveClaims(options, { say: () => undefined, onLine: (line) => lines.push(line as never) });
  const turns = lines.filter(({ round }) => round !== undefined);
  expect(turns.map(({ archiver }) => archiver).slice(0, 2)).toEqual([false, true]);
  expect(turns.reduce((sum, { moved }) => sum + Number(moved), 0)).toBe(3_000);
  expect(lines.at(-1)).toMatchObject({ rounds: turns.length / 2, without: { claimP99Ms: expect.any(Number) } });
});

it("takes longer turns with the archiver than without, where asked to", () => {
  const secondsOf = (...args: string[]) => {
    const { seconds, archiveSeconds } = archiveClaimsOptions(args);
    return [seconds, archiveSeconds];
  };
  expect(secondsOf()).toEqual([10, 10]);
  expect(secondsOf("--seconds", "5")).toEqual([5, 5]);
  expect(secondsOf("--archive-seconds", "40")).toEqual([10, 40]);
});

it.each([
  [["--rows", "many"], "--rows many is not a whole number above 0"],
  [["--archive-seconds", "0"], "--archive-seconds 0 is not a whole number above 0"],
  [["--rate", "0"], "--rate 0 is not a whole number above 0"],
  [["--business", "some"], "--business some is not a whole number of 0 or more"],
  [["--speed", "9"], "--speed"],
])("refuses %j", (args, problem) => {
  expect(() => archiveClaimsOptions(args)).toThrow(problem);
});
