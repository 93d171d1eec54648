import { runConsoleBench } from "./console/console-bench.ts";
import { CONSOLE_USAGE, consoleOptions } from "./console/console-options.ts";
import { ARCHIVE_CLAIMS_USAGE, archiveClaimsOptions, runArchiveClaims } from "./archive-claims/archive-claims.ts";
import { guard } from "./guard.ts";
import { lineOf } from "./guard-checks.ts";
import { OWN } from "./contestants/named.ts";
import { type BenchOptions, benchOptions, USAGE } from "./options.ts";
import { resultTable } from "./result-table.ts";
import { runScenario } from "./run-scenario.ts";
import { SCENARIOS } from "./scenarios/all.ts";

/*
 * npm run bench -- <scenario>: one JSON line a round, then one with medians and spread. Each round has a database of its
 * own on --url (default TEST_DATABASE_URL), a server on this machine, and drops it.
 */

const [first, ...rest] = process.argv.slice(2);
const options = first === "console" || first === "archive-claims" ? undefined : optionsOrUsage();
if (first === "console") await runConsole(rest);
if (first === "archive-claims") await runClaims(rest);
if (options) {
  if (options.scenario === "guard") await runGuard(options);
  else await runOne(options);
}

function optionsOrUsage(): BenchOptions | undefined {
  try {
    const read = benchOptions(process.argv.slice(2));
    if (read.scenario === "guard" || SCENARIOS.some((one) => one.name === read.scenario)) return read;
    console.error(`no scenario "${read.scenario}"\n${usage()}`);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage()}`);
  }
  process.exitCode = 2;
  return undefined;
}

function usage(): string {
  return [
    USAGE,
    "",
    ...SCENARIOS.map((one) => `  ${one.name.padEnd(17)} ${one.about}`),
    "  console           what people at the console wait for, over a database that is seeded once; options of its own",
    "  archive-claims    claims by turns without and with an archiver at work; options of its own",
    "  guard             ratios against bench/guard.json; exit code 1 outside",
  ].join("\n");
}

async function runOne(options: BenchOptions): Promise<void> {
  const result = await runScenario(options, { say: (text) => console.error(text), onRun: printLine });
  printLine(result);
  if (!options.json) console.error(resultTable(result));
}

async function runConsole(args: readonly string[]): Promise<void> {
  const read = readOrUsage(() => consoleOptions(args), CONSOLE_USAGE);
  if (!read) return;
  const build = (await import(new URL("../scripts/lib/build.mjs", import.meta.url).href)) as {
    ensureConsoleBuild(): Promise<void>;
  };
  await build.ensureConsoleBuild();
  await runConsoleBench(read, { say: (text) => console.error(text), onFigure: printLine });
}

async function runClaims(args: readonly string[]): Promise<void> {
  const read = readOrUsage(() => archiveClaimsOptions(args), ARCHIVE_CLAIMS_USAGE);
  if (read) await runArchiveClaims(read, { say: (text) => console.error(text), onLine: printLine });
}

function readOrUsage<Options>(read: () => Options, words: string): Options | undefined {
  try {
    return read();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${words}`);
    process.exitCode = 2;
    return undefined;
  }
}

function printLine(line: object): void {
  console.log(JSON.stringify(line));
}

/** The last line is that of every part of `.ci/run`: how many checks passed and failed. */
async function runGuard(options: BenchOptions): Promise<void> {
  const counts = { passed: 0, failed: 0 };
  for await (const report of guard(SCENARIOS, OWN, options.url)) {
    printLine(report);
    for (const check of report.checks) {
      counts[check.isWithin ? "passed" : "failed"]++;
      if (!options.json) console.error(lineOf(report.scenario, check));
    }
  }
  if (counts.failed > 0) process.exitCode = 1;
  if (!options.json) console.log(`${counts.passed} passed, ${counts.failed} failed`);
}
