/**
 * What a run of tests came to. `notRun` names each test that was skipped, `repeated` each that passed only when it was
 * repeated, `broken` each file that could not be loaded.
 *
 * @typedef {{ passed: number, failed: number, notRun: string[], repeated: string[], broken: string[] }} TestCounts
 */

/**
 * @param {any} report of Vitest's json reporter
 * @param {(path: string) => string} shorten
 * @returns {TestCounts} a file that could not be loaded counts as one failed test
 */
export function countVitest(report, shorten) {
  const counts = noTests();
  for (const file of report.testResults) {
    for (const test of file.assertionResults) {
      if (test.status === "passed") counts.passed += 1;
      else if (test.status === "failed") counts.failed += 1;
      else counts.notRun.push(`${shorten(file.name)}: ${test.fullName}`);
    }
    if (file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed")) {
      counts.broken.push(shorten(file.name));
    }
  }
  counts.failed += counts.broken.length;
  return counts;
}

/**
 * @param {any} report of Playwright's json reporter
 * @returns {TestCounts} a test that passed only when repeated counts as passed, an error outside any test as one failed
 */
export function countPlaywright(report) {
  const broken = report.errors.map((err) => (err.message ?? "unknown error").split("\n")[0]);
  return {
    passed: report.stats.expected + report.stats.flaky,
    failed: report.stats.unexpected + broken.length,
    notRun: namesIn(report, (tests) => tests.every((test) => test.status === "skipped")),
    repeated: namesIn(report, (tests) => tests.some((test) => test.status === "flaky")),
    broken,
  };
}

/** @returns {TestCounts} */
export function noTests() {
  return { passed: 0, failed: 0, notRun: [], repeated: [], broken: [] };
}

function namesIn(report, isMeant) {
  const inSuite = (suite, file) => [
    ...(suite.specs ?? [])
      .filter((spec) => spec.tests.length > 0 && isMeant(spec.tests))
      .map((spec) => `${file}: ${spec.title}`),
    ...(suite.suites ?? []).flatMap((inner) => inSuite(inner, file)),
  ];
  return report.suites.flatMap((suite) => inSuite(suite, suite.file));
}
