import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { runCommand } from "./command.mjs";
import { packageCommand, root } from "./paths.mjs";
import { countPlaywright, countVitest, noTests } from "./test-report.mjs";

/**
 * @param {string[]} filters parts of paths; none means every file
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ ok: boolean, counts: import("./test-report.mjs").TestCounts }>}
 */
export function runVitest(filters, env) {
  return withReport(
    async (reportPath) => {
      const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportPath}`];
      const args = ["run", ...filters, "--passWithNoTests", ...reporters];
      const { code } = await runCommand(packageCommand("vitest"), args, { output: "inherit", env });
      return code;
    },
    (report) => countVitest(report, (path) => relative(root, path)),
  );
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string[]} [filters] parts of paths and options; none means every test
 * @returns {Promise<{ ok: boolean, counts: import("./test-report.mjs").TestCounts }>}
 */
export function runPlaywright(env, filters = []) {
  return withReport(async (reportPath) => {
    const reportEnv = { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: reportPath };
    const args = ["test", ...filters, "--reporter=list,json"];
    const { code } = await runCommand(packageCommand("playwright"), args, { output: "inherit", env: reportEnv });
    return code;
  }, countPlaywright);
}

/** A run that fails must count as failed even if it was too broken to write its report. */
async function withReport(run, count) {
  const directory = mkdtempSync(join(tmpdir(), "redrive-tests-"));
  try {
    const reportPath = join(directory, "report.json");
    const code = await run(reportPath);
    const counts = existsSync(reportPath) ? count(JSON.parse(readFileSync(reportPath, "utf8"))) : noTests();
    if (code !== 0 && counts.failed === 0) {
      counts.failed = 1;
      counts.broken.push(`the run ended with exit code ${code}, though no test failed`);
    }
    return { ok: code === 0 && counts.failed === 0, counts };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
