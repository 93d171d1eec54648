import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CRASH_POINTS } from "../../../db/crash-points.ts";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { CRASH_CASES, CRASH_RUNS, type CrashRun } from "../../testing/crash-cases.ts";
import { walkCrash } from "../../testing/crash-walk.ts";
import { createServiceTables } from "../../testing/task-facts.ts";

/** So many processes die at a time, each on a database of its own. */
const LANES = 3;

let databases: TestDatabase[] = [];
const free: TestDatabase[] = [];
beforeAll(async () => {
  databases = await Promise.all(Array.from({ length: LANES }, () => createTestDatabase()));
  await Promise.all(databases.map(createServiceTables));
  free.push(...databases);
});
afterAll(() => Promise.all(databases.map((test) => test.drop())));

const nameOf = ({ point, fates }: CrashRun): string => `${point} (${Object.keys(fates).join(", ")})`;

describe("crash points: a process killed at every step", () => {
  it("each has its case", () => {
    expect(Object.keys(CRASH_CASES)).toEqual(CRASH_POINTS);
  });

  // One lane per group, so that a lane's database is used by one run at a time.
  describe.concurrent.each(Array.from({ length: LANES }, (_, lane) => ({ lane })))("lane $lane", ({ lane }) => {
    const runs = CRASH_RUNS.filter((_, index) => index % LANES === lane);
    it("dies and is followed", { timeout: 600_000 }, async ({ expect: check }) => {
      const test = free[lane];
      if (!test) throw new Error("no database");
      for (const run of runs) {
        const found = { run: nameOf(run), ...(await walkCrash(test, run)) };
        check.soft(found).toEqual({ run: nameOf(run), ended: "SIGKILL", fates: run.fates, faults: [] });
      }
    });
  });
});
