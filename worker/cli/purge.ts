import { ArchivePace } from "../duties/archive-pace.ts";
import { systemClock } from "../engine/clock.ts";
import { type PurgeOutcome, type PurgeReport, runPurge } from "../export/purge-run.ts";
import { RunLease } from "../export/run-lease.ts";
import { CliError, EXIT_DONE, EXIT_FAILED } from "./cli-error.ts";
import { durationText } from "./duration-text.ts";
import { DAY_OPTION, dayOption, requiredTarget, runOwner, targetOption, targetText } from "./history-options.ts";
import { numberOption } from "./parse-verb-input.ts";
import { progressReporter } from "./progress.ts";
import { textTable } from "./text-table.ts";
import { printable } from "./text-values.ts";
import type { Verb, VerbResult } from "./verb.ts";

/** `redrive purge`: removes what is past its retention from the archive, or says what that is. */
export const purgeVerb: Verb = {
  name: "purge",
  summary: "remove archived tasks that are past their type's retention, or say which",
  operands: "",
  operandsMin: 0,
  operandsMax: 0,
  options: {
    day: DAY_OPTION,
    target: targetOption("where the exports are that purging relies on"),
    "dry-run": { type: "boolean", help: "say what would go and why the rest stays, and remove nothing" },
    "rows-per-second": {
      type: "string",
      placeholder: "N",
      help: "rows deleted per second at most where a day stays in part, 0: no limit; default REDRIVE_ARCHIVE_ROWS_PER_SECOND (5000)",
    },
  },
  notes:
    "Looks at days that are over; never at live tasks. Unless REDRIVE_PURGE_REQUIRES_EXPORT is false, only days whose export was verified lose rows. Ctrl-C ends it after the batch under way. Under --json: one document per line, the last one is the result.",
  isLong: true,
  async run(input, context) {
    const { database, archive, history } = context;
    const isDryRun = input.options["dry-run"] === true;
    const standard = archive.rowsPerSecond;
    const rowsPerSecond = numberOption(input, "rows-per-second", { min: 0, max: 1_000_000, standard });
    const hasTarget = targetText(input, context, "target") !== undefined;
    const signal = context.interrupted();
    const lease = new RunLease({ database, owner: runOwner(), clock: systemClock, signal });
    const tell = progressReporter(context.report);
    const startedMs = systemClock.monotonicMs();
    try {
      const report = await runPurge({
        database,
        target: hasTarget ? requiredTarget(input, context, "target") : undefined,
        requiresExport: history.purgeRequiresExport,
        lease,
        clock: systemClock,
        pace: new ArchivePace({ rowsPerSecond, brakes: [], clock: systemClock }),
        signal,
        day: dayOption(input),
        isDryRun,
        onProgress: (progress) =>
          tell(() => ({ line: `${progress.day}: ${progress.rows} rows deleted`, json: { progress } })),
        onOutcome: (outcome) => tell(() => ({ line: `${outcome.day}: ${outcome.what}`, json: { outcome } })),
      });
      if (report.stopped?.code === "RUN_ELSEWHERE") throw new CliError(report.stopped.code, report.stopped.message);
      return resultOf(report, isDryRun, systemClock.monotonicMs() - startedMs);
    } finally {
      if (!isDryRun) await lease.release();
    }
  },
};

function resultOf({ outcomes, rows, stopped }: PurgeReport, isDryRun: boolean, ms: number): VerbResult {
  const failed = outcomes.filter((one) => one.what === "failed");
  const columns = [
    { title: "DAY" },
    { title: isDryRun ? "WOULD BE" : "IS" },
    { title: "ROWS", isNumber: true },
    { title: "WHY" },
  ];
  const table = textTable(
    columns,
    outcomes.map((one) => [one.day, one.what, String(one.rows), printable(whyOf(one))]),
  );
  const total = isDryRun ? `${rows} rows would go; nothing was removed` : `${rows} rows removed in ${durationText(ms)}`;
  return {
    json: {
      dryRun: isDryRun,
      rows,
      outcomes,
      seconds: Math.round(ms) / 1_000,
      isComplete: !stopped && failed.length === 0,
      isInterrupted: stopped !== undefined,
    },
    text: [
      ...(outcomes.length > 0 ? [table] : ["no day of the archive is over"]),
      total,
      ...(stopped ? [stopped.message] : []),
    ].join("\n"),
    exitCode: stopped || failed.length > 0 ? EXIT_FAILED : EXIT_DONE,
  };
}

function whyOf({ what, lanes, reason }: PurgeOutcome): string {
  const gone = (lanes ?? []).map(
    ({ eventType, which, tasks }) => `${tasks} ${which === "all" ? "" : `${which} `}of ${eventType}`,
  );
  if (what === "dropped") return "everything is past its retention";
  return (
    [...(gone.length > 0 ? [gone.join(", ")] : []), ...(reason === undefined ? [] : [reason])].join("; ") ||
    "no retention is over"
  );
}
