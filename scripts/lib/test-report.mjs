/**
 * What a run of tests came to. `notRun` names each test that was skipped, `broken` each file that could not be loaded.
 *
 * @typedef {{ passed: number, failed: number, notRun: string[], broken: string[] }} TestCounts
 */

/**
 * @param {any} report of Vitest's json reporter
 * @param {(path: string) => string} shorten
 * @returns {TestCounts} a file that could not be loaded counts as one failed test
 */
export function countVitest(report, shorten) {
  const counts = { passed: 0, failed: 0, notRun: [], broken: [] };
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
    notRun: report.suites.flatMap((suite) => skippedIn(suite, suite.file)),
    broken,
  };
}

function skippedIn(suite, file) {
  const own = (suite.specs ?? [])
    .filter((spec) => spec.tests.length > 0 && spec.tests.every((test) => test.status === "skipped"))
    .map((spec) => `${file}: ${spec.title}`);
  return [...own, ...(suite.suites ?? []).flatMap((inner) => skippedIn(inner, file))];
}
