import { isRestoreTable, RESTORED_TABLES } from "../../db/queries/restored-rows.ts";
import { restoreDay, restoreTask } from "../export/restore-run.ts";
import { RunStoppedError } from "../export/run-lease.ts";
import { CliError, EXIT_DONE, EXIT_FAILED, usageError } from "./cli-error.ts";
import { DAY_OPTION, dayOption, requiredTarget, targetOption } from "./history-options.ts";
import { taskId } from "./parse-verb-input.ts";
import { progressReporter } from "./progress.ts";
import { printable, quoted } from "./text-values.ts";
import { textOption, type Verb } from "./verb.ts";

/** `redrive restore`: brings exported tasks back into tables of their own, to look at them. */
export const restoreVerb: Verb = {
  name: "restore",
  summary: "bring an exported day or task back into a table of its own, for an audit",
  operands: "[ID]",
  operandsMin: 0,
  operandsMax: 1,
  options: {
    day: DAY_OPTION,
    from: targetOption("where the export is"),
    into: {
      type: "string",
      placeholder: "TABLE",
      help: `where to; default ${RESTORED_TABLES.tasks}; made if it is missing`,
    },
    "dry-run": { type: "boolean", help: "count what would be brought back, and write nothing" },
  },
  notes: `Never writes into live or archive tables. History goes to ${RESTORED_TABLES.attempts}, or to TABLE_attempt. A second time changes nothing. Under --json: one document per line, the last one is the result.`,
  isLong: true,
  async run(input, context) {
    const [idText] = input.operands;
    const day = dayOption(input);
    if ((idText === undefined) === (day === undefined))
      throw usageError("redrive restore needs either ID or --day DAY");
    const into = textOption(input, "into") ?? RESTORED_TABLES.tasks;
    if (!isRestoreTable(into)) {
      throw usageError(
        `--into ${quoted(into)} is not possible: letters, digits and underscores, at most 55, and not beginning with t_retry_`,
      );
    }
    const id = idText === undefined ? undefined : taskId(idText);
    const signal = context.interrupted();
    const tell = progressReporter(context.report);
    const isDryRun = input.options["dry-run"] === true;
    const parts = {
      database: context.database,
      target: requiredTarget(input, context, "from"),
      into,
      isDryRun,
      checkpoint: () => {
        if (signal.aborted)
          throw new RunStoppedError("RUN_INTERRUPTED", "stopped before the end; run it again to go on");
      },
      onProgress: (progress: { readonly file: string; readonly rows: number }) =>
        tell(() => ({ line: `${progress.rows} rows read, ${printable(progress.file)}`, json: { progress } })),
    };
    const report = day === undefined ? await restoreTask(parts, id ?? "") : await restoreDay(parts, day);
    const { found, inserted, tables } = report;
    if (day === undefined && found.tasks === 0) {
      throw new CliError("TASK_NOT_FOUND", `task ${id} is in no exported day of ${parts.target.name}`);
    }
    const written = isDryRun
      ? "nothing was written"
      : `${inserted.tasks} new in ${tables.tasks}, ${inserted.attempts} new in ${tables.attempts}`;
    return {
      json: { dryRun: isDryRun, from: parts.target.name, ...report },
      text: `found ${found.tasks} tasks and ${found.attempts} history entries; ${written}`,
      exitCode: found.tasks + found.attempts > 0 || day !== undefined ? EXIT_DONE : EXIT_FAILED,
    };
  },
};
