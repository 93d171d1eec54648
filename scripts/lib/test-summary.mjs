import { formatDuration, SetupError } from "./log.mjs";

/**
 * One part of a test run. `verdict` "not run" is for a part with nothing to run, which is no failure.
 *
 * @typedef {import("./test-report.mjs").TestCounts} TestCounts
 * @typedef {{ verdict: "passed" | "failed" | "not run", reason?: string, counts?: TestCounts }} PhaseResult
 * @typedef {PhaseResult & { name: string, milliseconds: number }} FinishedPhase
 */

/**
 * Runs one part; an error becomes its failure, so the parts after it still run.
 *
 * @param {string} name
 * @param {() => Promise<PhaseResult>} body
 * @returns {Promise<FinishedPhase>}
 */
export async function runPhase(name, body) {
  process.stderr.write(`\n== ${name}\n`);
  const startedAt = performance.now();
  let result;
  try {
    result = await body();
  } catch (err) {
    result = { verdict: "failed", reason: err instanceof SetupError ? err.message : String(err?.stack ?? err) };
    process.stderr.write(`${result.reason}\n`);
  }
  return { name, milliseconds: performance.now() - startedAt, ...result };
}

/**
 * @param {{ ok: boolean, counts: TestCounts }} run
 * @param {string} nothing said when the run found no test
 * @returns {PhaseResult}
 */
export function verdictOf({ ok, counts }, nothing) {
  const isEmpty = ok && counts.passed + counts.notRun.length === 0;
  return isEmpty ? { verdict: "not run", reason: nothing, counts } : { verdict: ok ? "passed" : "failed", counts };
}

/**
 * @param {FinishedPhase[]} phases
 * @returns {string[]} a line per phase and per thing that did not run, or ran well only when repeated; the last line is `N passed, M failed`
 */
export function summarise(phases) {
  const sum = (key) => phases.reduce((total, { counts }) => total + (counts?.[key] ?? 0), 0);
  return [
    ...phases.map(phaseLine),
    ...phases.flatMap(({ name, counts }) => (counts?.broken ?? []).map((what) => `broken   ${name}: ${what}`)),
    ...phases.flatMap(({ name, counts }) => (counts?.notRun ?? []).map((what) => `skipped  ${name}: ${what}`)),
    ...phases.flatMap(({ name, counts }) => (counts?.repeated ?? []).map((what) => `repeated ${name}: ${what}`)),
    `${sum("passed")} passed, ${sum("failed")} failed`,
  ];
}

function phaseLine({ name, verdict, reason, counts, milliseconds }) {
  const tests = counts && verdict !== "not run" ? `${counts.passed} passed, ${counts.failed} failed` : "";
  const details = [tests, reason?.split("\n")[0]].filter(Boolean).join("; ");
  return `${verdict.padEnd(8)} ${name.padEnd(14)} ${formatDuration(milliseconds).padStart(9)}  ${details}`.trimEnd();
}
