import { DDL_DIALECTS, exportDdl } from "../export/ddl.ts";
import { type DayOutcome, type ExportProgress, type ExportReport, planExport } from "../export/export-run.ts";
import { runExportInThread } from "../export/run-in-thread.ts";
import { systemClock } from "../engine/clock.ts";
import { suggestion } from "../closest-name.ts";
import { CliError, EXIT_DONE, EXIT_FAILED, usageError } from "./cli-error.ts";
import { durationText } from "./duration-text.ts";
import { DAY_OPTION, dayOption, requiredTarget, runOwner, targetOption, targetText } from "./history-options.ts";
import { progressBar, progressReporter } from "./progress.ts";
import { textTable } from "./text-table.ts";
import { printable, quoted } from "./text-values.ts";
import { type CliContext, textOption, type Verb, type VerbInput, type VerbResult } from "./verb.ts";

/** `redrive export`: the archive's days that are over, as Parquet in a folder or a bucket. */
export const exportVerb: Verb = {
  name: "export",
  summary: "write the archive's past days as Parquet files, verify them, or print the DDL that reads them",
  operands: "",
  operandsMin: 0,
  operandsMax: 0,
  options: {
    target: targetOption("where to"),
    day: DAY_OPTION,
    verify: { type: "boolean", help: "read the files of all exported days back, purged days too" },
    again: { type: "boolean", help: "write days anew that are exported already; never days that were purged" },
    "dry-run": { type: "boolean", help: "say what would be done, and do nothing" },
    ddl: {
      type: "string",
      placeholder: "DIALECT",
      help: `print the tables over the target for ${DDL_DIALECTS.join(", ")}`,
    },
  },
  notes:
    "Days that are exported and verified are passed over. Ctrl-C ends it without loss; run it again and it goes on. Under --json: one document per line, the last one is the result.",
  isLong: true,
  run: async (input, context) => {
    if (textOption(input, "ddl") !== undefined) return ddl(input, context);
    return input.options["dry-run"] === true ? dryRun(input, context) : run(input, context);
  },
};

function ddl(input: VerbInput, context: CliContext): VerbResult {
  const name = textOption(input, "ddl") ?? "";
  const dialect = DDL_DIALECTS.find((known) => known === name);
  if (!dialect) {
    throw usageError(`--ddl ${quoted(name)} is not one of ${DDL_DIALECTS.join(", ")}${suggestion(name, DDL_DIALECTS)}`);
  }
  const text = exportDdl(dialect, requiredTarget(input, context, "target").name);
  return { json: { dialect, ddl: text }, text: text.trimEnd() };
}

async function dryRun(input: VerbInput, context: CliContext): Promise<VerbResult> {
  const target = requiredTarget(input, context, "target");
  const days = await planExport({ database: context.database, target, day: dayOption(input) });
  const columns = [{ title: "DAY" }, { title: "WHAT" }, { title: "ROWS", isNumber: true }, { title: "WOULD" }];
  const table = textTable(
    columns,
    days.map(({ day, source, what, rows }) => [day, source, String(rows), what]),
  );
  return {
    json: { dryRun: true, target: target.name, days },
    text: days.length === 0 ? "no day of the archive is over" : `${table}\nnothing was written`,
  };
}

async function run(input: VerbInput, context: CliContext): Promise<VerbResult> {
  const target = requiredTarget(input, context, "target");
  const signal = context.interrupted();
  const startedMs = systemClock.monotonicMs();
  const tell = progressReporter(context.report);
  const report = await runExportInThread(
    {
      connection: context.connection,
      zone: context.zone.name,
      owner: runOwner(),
      target: targetText(input, context, "target") ?? "",
      s3: context.history.s3,
      options: {
        day: dayOption(input),
        verifyAll: input.options["verify"] === true,
        again: input.options["again"] === true,
      },
    },
    {
      signal,
      onProgress: (progress) =>
        tell(() => ({ line: lineOf(progress, systemClock.monotonicMs() - startedMs), json: { progress } })),
      onOutcome: (outcome) => {
        if (outcome.what === "failed")
          context.progress(`${outcome.day} ${outcome.source}: ${printable(outcome.problem ?? "")}`);
      },
    },
  );
  if (report.stopped?.code === "RUN_ELSEWHERE") throw new CliError(report.stopped.code, report.stopped.message);
  return resultOf(target.name, report, systemClock.monotonicMs() - startedMs);
}

function lineOf(progress: ExportProgress, ms: number): string {
  const { day, source, phase, rows, totalRows, dayNumber, days } = progress;
  return `day ${dayNumber} of ${days}, ${day} ${source}, ${phase} ${progressBar(rows, totalRows, ms)}`;
}

function resultOf(target: string, { outcomes, stopped }: ExportReport, ms: number): VerbResult {
  const count = (what: DayOutcome["what"]) => outcomes.filter((one) => one.what === what).length;
  const failed = outcomes.filter((one) => one.what === "failed");
  const rows = outcomes.filter((one) => one.what === "exported").reduce((sum, one) => sum + one.rows, 0);
  const days = new Set(outcomes.map(({ day }) => day)).size;
  const lines = [
    `${days} days: ${count("exported")} parts exported (${rows} rows), ${count("verified")} verified, ${count("skipped")} done before, ${failed.length} failed; ${durationText(ms)}`,
    ...failed.map(({ day, source, problem }) => `${day} ${source}: ${printable(problem ?? "")}`),
    ...(stopped ? [stopped.message] : []),
  ];
  return {
    json: {
      target,
      outcomes,
      seconds: Math.round(ms) / 1_000,
      isComplete: !stopped && failed.length === 0,
      isInterrupted: stopped !== undefined,
    },
    text: lines.join("\n"),
    exitCode: stopped || failed.length > 0 ? EXIT_FAILED : EXIT_DONE,
  };
}
