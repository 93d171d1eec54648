import { type ArchiveReport, countRipe, openArchiveDatabase, planArchive, runArchive } from "../duties/archive-run.ts";
import { createArchivePace } from "../duties/archive-pace.ts";
import { systemClock } from "../engine/clock.ts";
import { suggestion } from "../closest-name.ts";
import { CliError, EXIT_DONE, EXIT_FAILED } from "./cli-error.ts";
import { describeFailure } from "./describe-failure.ts";
import { durationText } from "./duration-text.ts";
import { runOwner } from "./history-options.ts";
import { numberOption } from "./parse-verb-input.ts";
import { progressBar, progressReporter } from "./progress.ts";
import { textTable } from "./text-table.ts";
import { printable, quoted } from "./text-values.ts";
import { type CliContext, textOption, type Verb, type VerbResult } from "./verb.ts";

/** `redrive archive`: moves what is ripe now, or says how much that is. */
export const archiveVerb: Verb = {
  name: "archive",
  summary: "move tasks that ended long enough ago to the archive, or say how many there are",
  operands: "",
  operandsMin: 0,
  operandsMax: 0,
  options: {
    type: { type: "string", placeholder: "TYPE", help: "only this event type" },
    "dry-run": { type: "boolean", help: "count what would be moved, and move nothing" },
    "rows-per-second": {
      type: "string",
      placeholder: "N",
      help: "rows moved per second at most, 0: no limit; default REDRIVE_ARCHIVE_ROWS_PER_SECOND (5000)",
    },
  },
  notes:
    "Safe beside the workers' own archiver and beside other runs. Ctrl-C ends it after the batch under way; run it again and it goes on. Under --json: one document per line, the last one is the result.",
  isLong: true,
  run: async (input, context) => {
    const eventType = textOption(input, "type");
    const standard = context.archive.rowsPerSecond;
    const rowsPerSecond = numberOption(input, "rows-per-second", { min: 0, max: 1_000_000, standard });
    const plan = await planArchive(context.database, eventType);
    if (eventType !== undefined && plan.types.length === 0) {
      const { types } = await planArchive(context.database);
      throw new CliError(
        "TYPE_NOT_FOUND",
        `there is no event type ${quoted(eventType)}${suggestion(eventType, types)}`,
      );
    }
    const signal = context.interrupted();
    const counts = await countAll(context, plan.lanes, signal);
    return input.options["dry-run"] === true
      ? dryRun(counts, plan.unreadable, signal.aborted)
      : move({ eventType, rowsPerSecond }, context, counts, signal);
  },
};

interface LaneCount {
  readonly eventType: string;
  readonly status: string;
  readonly keptSeconds: number;
  readonly tasks: number;
}

async function countAll(
  { database, report }: CliContext,
  lanes: Awaited<ReturnType<typeof planArchive>>["lanes"],
  signal: AbortSignal,
): Promise<LaneCount[]> {
  const counts: LaneCount[] = [];
  for (const lane of lanes) {
    if (signal.aborted) break;
    const { eventType, status } = lane;
    report({ line: `counting ${printable(eventType)}, ${status}`, json: { counting: { eventType, status } } });
    counts.push({
      eventType,
      status,
      keptSeconds: lane.endedForMs / 1_000,
      tasks: await countRipe(database, lane, signal),
    });
  }
  return counts;
}

function dryRun(counts: readonly LaneCount[], unreadable: readonly string[], isInterrupted: boolean): VerbResult {
  const total = counts.reduce((sum, { tasks }) => sum + tasks, 0);
  const columns = [{ title: "TYPE" }, { title: "STATUS" }, { title: "KEPT" }, { title: "TO MOVE", isNumber: true }];
  const rows = counts.map((one) => [
    printable(one.eventType),
    one.status,
    one.keptSeconds === 0 ? "not at all" : durationText(one.keptSeconds * 1_000),
    String(one.tasks),
  ]);
  return {
    json: { dryRun: true, tasks: total, lanes: counts, unreadable, isInterrupted },
    text: [
      counts.length > 0 ? textTable(columns, rows) : "no event types with tasks to move",
      ...unreadable.map(unreadableText),
      isInterrupted ? "counting was stopped" : `${total} tasks would be moved; nothing was`,
    ].join("\n"),
    exitCode: isInterrupted ? EXIT_FAILED : EXIT_DONE,
  };
}

async function move(
  { eventType, rowsPerSecond }: { readonly eventType: string | undefined; readonly rowsPerSecond: number },
  context: CliContext,
  counts: readonly LaneCount[],
  signal: AbortSignal,
): Promise<VerbResult> {
  const { archive, report, progress } = context;
  const database = openArchiveDatabase(context);
  const total = counts.reduce((sum, { tasks }) => sum + tasks, 0);
  const problems: { what: string; message: string }[] = [];
  const onError = (what: string, error: unknown): void => {
    const { message } = describeFailure(error);
    problems.push({ what, message });
    progress(`${what}: ${printable(message)}`);
  };
  const { pace, close } = createArchivePace(
    { ...archive, rowsPerSecond },
    {
      database,
      clock: systemClock,
      onBrakeError: (brake, error) => progress(`${brake} cannot be read: ${describeFailure(error).message}`),
    },
  );
  const startedMs = systemClock.monotonicMs();
  const tell = progressReporter(report);
  try {
    const result = await runArchive({
      database,
      clock: systemClock,
      pace,
      countedAs: runOwner(),
      signal,
      eventType,
      onError,
      onProgress: (state) =>
        tell(() => ({
          line: lineOf(state, total, systemClock.monotonicMs() - startedMs),
          json: { ...jsonOf(state), total },
        })),
    });
    return resultOf(result, {
      total,
      problems,
      ms: systemClock.monotonicMs() - startedMs,
      isInterrupted: signal.aborted,
    });
  } finally {
    await Promise.all([close(), database.close()]);
  }
}

function lineOf(state: ArchiveReport, total: number, ms: number): string {
  const pause = state.pause === undefined ? "" : `; pauses: ${state.pause}`;
  return `${progressBar(state.tasks, total, ms)}${pause}`;
}

function jsonOf(state: ArchiveReport) {
  return {
    tasks: state.tasks,
    attempts: state.attempts,
    byType: Object.fromEntries(state.moved),
    pause: state.pause ?? null,
  };
}

function resultOf(
  state: ArchiveReport,
  run: {
    readonly total: number;
    readonly problems: readonly { readonly what: string; readonly message: string }[];
    readonly ms: number;
    readonly isInterrupted: boolean;
  },
): VerbResult {
  const stuck = state.stuck.map(({ id, eventType, error }) => ({
    id,
    eventType,
    error: describeFailure(error).message,
  }));
  const isGood = state.isComplete && stuck.length === 0 && state.unreadable.length === 0;
  const lines = [
    `moved ${state.tasks} tasks and ${state.attempts} history entries in ${durationText(run.ms)}`,
    ...stuck.map((one) => `task ${one.id} (${printable(one.eventType)}) could not be moved: ${printable(one.error)}`),
    ...[...state.unknownStatuses].map(
      ([eventType, rows]) => `${rows} tasks of ${printable(eventType)} have a status that nobody knows; left alone`,
    ),
    ...state.unreadable.map(unreadableText),
    ...run.problems.map(({ what, message }) => `${what}: ${printable(message)}`),
    ...(run.isInterrupted ? ["stopped before the end; nothing is lost, run it again to go on"] : []),
  ];
  return {
    json: {
      ...jsonOf(state),
      total: run.total,
      seconds: Math.round(run.ms) / 1_000,
      stuck,
      unknownStatuses: Object.fromEntries(state.unknownStatuses),
      unreadable: state.unreadable,
      problems: run.problems,
      isComplete: state.isComplete,
      isInterrupted: run.isInterrupted,
    },
    text: lines.join("\n"),
    exitCode: isGood ? EXIT_DONE : EXIT_FAILED,
  };
}

const unreadableText = (eventType: string): string =>
  `the settings of ${printable(eventType)} cannot be read; none of its tasks is moved`;
