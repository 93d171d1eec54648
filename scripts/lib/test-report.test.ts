import { expect, test } from "vitest";
import { countPlaywright, countVitest, noTests } from "./test-report.mjs";
import { summarise } from "./test-summary.mjs";

test("counts passed and failed tests and names the skipped ones", () => {
  const assertionResults = [
    { status: "passed", fullName: "a" },
    { status: "failed", fullName: "b" },
    { status: "skipped", fullName: "c" },
    { status: "todo", fullName: "d" },
  ];
  const counts = countVitest({ testResults: [{ name: "/r/x.test.ts", status: "failed", assertionResults }] }, (path) =>
    path.slice(3),
  );
  expect(counts).toEqual({ ...noTests(), passed: 1, failed: 1, notRun: ["x.test.ts: c", "x.test.ts: d"] });
});

test("counts a file that could not be loaded as a failure", () => {
  const report = { testResults: [{ name: "x.test.ts", status: "failed", assertionResults: [] }] };
  expect(countVitest(report, (path) => path)).toEqual({ ...noTests(), failed: 1, broken: ["x.test.ts"] });
});

test("counts a browser test that passed when repeated as passed and names it, as it does the skipped one", () => {
  const specs = [
    { title: "signs in", tests: [{ status: "skipped" }] },
    { title: "signs out", tests: [{ status: "flaky" }] },
    { title: "waits", tests: [{ status: "expected" }] },
  ];
  const report = {
    stats: { expected: 3, unexpected: 1, flaky: 1, skipped: 1 },
    errors: [],
    suites: [{ file: "login.spec.ts", specs: [], suites: [{ specs }] }],
  };
  expect(countPlaywright(report)).toEqual({
    passed: 4,
    failed: 1,
    notRun: ["login.spec.ts: signs in"],
    repeated: ["login.spec.ts: signs out"],
    broken: [],
  });
});

test("ends the summary with the totals and gives what did not run, or only when repeated, its own line", () => {
  const counts = { ...noTests(), passed: 2, failed: 1, notRun: ["x: y"], repeated: ["x: z"] };
  const lines = summarise([
    { name: "unit", verdict: "failed", milliseconds: 1500, counts },
    { name: "e2e", verdict: "not run", milliseconds: 0, reason: "there is no spec" },
  ]);
  expect(lines.at(-1)).toBe("2 passed, 1 failed");
  expect(lines).toContain("skipped  unit: x: y");
  expect(lines).toContain("repeated unit: x: z");
  expect(lines[1]).toMatch(/^not run\s+e2e .*there is no spec$/);
});
