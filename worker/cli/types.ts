import { effectiveSettings, parseStoredSettings } from "../../db/event-type-settings.ts";
import { type EventTypeRow, listEventTypes, listTaskEventTypes, setPaused } from "../../db/queries/event-types.ts";
import { suggestion } from "../closest-name.ts";
import { CliError, usageError } from "./cli-error.ts";
import { durationText } from "./duration-text.ts";
import { boundedOption } from "./parse-verb-input.ts";
import { textTable } from "./text-table.ts";
import { printable, quoted } from "./text-values.ts";
import type { CliContext, Verb, VerbResult } from "./verb.ts";

const DEEDS = ["pause", "resume"] as const;
type PauseDeed = (typeof DEEDS)[number];

/** `redrive types`: the event types with their settings; pauses one or lets it go on. */
export const typesVerb: Verb = {
  name: "types",
  summary: "list the event types with their settings, or pause or resume one",
  operands: "[pause|resume TYPE]",
  operandsMin: 0,
  operandsMax: 2,
  options: { reason: { type: "string", placeholder: "REASON", help: "why it is paused; shown to everybody" } },
  notes: "A paused type starts no task on any worker, within seconds; tasks go on being created. Running ones end.",
  async run(input, context) {
    const [word, eventType] = input.operands;
    if (word === undefined) {
      if (input.options["reason"] !== undefined) throw usageError("--reason goes with pause only");
      return list(context);
    }
    const deed = DEEDS.find((known) => known === word);
    if (!deed)
      throw usageError(`redrive types cannot ${quoted(word)}${suggestion(word, DEEDS)} (known: ${DEEDS.join(", ")})`);
    if (eventType === undefined) throw usageError(`redrive types ${deed} needs TYPE`);
    const reason = boundedOption(input, "reason", 255);
    if (deed === "resume" && reason !== undefined) throw usageError("--reason goes with pause only");
    return changePause(context, deed, eventType, reason);
  },
};

async function changePause(
  { database }: CliContext,
  deed: PauseDeed,
  eventType: string,
  reason: string | undefined,
): Promise<VerbResult> {
  return database.use(async (session) => {
    const registered = await listEventTypes(session);
    const before = registered.find((row) => row.eventType === eventType);
    const known = [...new Set([...registered.map((row) => row.eventType), ...(await listTaskEventTypes(session))])];
    if (!known.includes(eventType)) {
      throw new CliError(
        "TYPE_NOT_FOUND",
        `there is no event type ${quoted(eventType)}${suggestion(eventType, known)}`,
      );
    }
    const paused = deed === "pause";
    const isChanged = (before?.paused ?? false) !== paused || (paused && before?.pausedReason !== reason);
    if (isChanged) await setPaused(session, { eventType, paused, reason });
    const state = paused ? "paused" : "not paused";
    const text = `${printable(eventType)}: ${isChanged ? (paused ? "paused" : "resumed") : `was ${state} already`}`;
    return { json: { eventType, paused, pausedReason: reason ?? null, changed: isChanged }, text };
  });
}

async function list({ database }: CliContext): Promise<VerbResult> {
  const rows = await database.use(listEventTypes);
  const types = rows.map(typeOf);
  const columns = [
    { title: "TYPE" },
    { title: "PAUSED" },
    { title: "CONCURRENCY", isNumber: true },
    { title: "QUEUE", isNumber: true },
    { title: "POLL", isNumber: true },
    { title: "TIME LIMIT", isNumber: true },
    { title: "STRATEGY" },
    { title: "RETRIES", isNumber: true },
    { title: "CHANGED BY PEOPLE" },
  ];
  const table = textTable(
    columns,
    types.map(({ eventType, paused, pausedReason, settings, overrides }) => [
      printable(eventType),
      paused ? `yes${pausedReason === null ? "" : ` (${printable(pausedReason)})`}` : "no",
      String(settings.concurrency),
      String(settings.queueSize),
      durationText(settings.pollIntervalMs),
      durationText(settings.timeLimitMs),
      printable(settings.strategy),
      String(settings.maxRetryCount),
      Object.keys(overrides).join(", ") || "-",
    ]),
  );
  return {
    json: { types },
    text: types.length > 0 ? table : "no event types yet; a worker registers its own at start",
  };
}

function typeOf(row: EventTypeRow) {
  const overrides = parseStoredSettings(row.overrideSettings) ?? {};
  return {
    eventType: row.eventType,
    paused: row.paused,
    pausedReason: row.pausedReason ?? null,
    revision: row.revision,
    settings: effectiveSettings(parseStoredSettings(row.codeSettings) ?? {}, overrides),
    overrides,
  };
}
