import { systemClock, type Clock } from "./engine/clock.ts";
import type { Engine, EngineEventMap, EngineEventName, Logger } from "./engine/index.ts";
import { LineLimiter } from "./line-limiter.ts";

type Level = "debug" | "info" | "warn" | "error";

const LINES: Readonly<Record<EngineEventName, { readonly level: Level; readonly message: string }>> = {
  enqueued: { level: "debug", message: "tasks enqueued" },
  claimed: { level: "debug", message: "tasks claimed" },
  started: { level: "debug", message: "attempt started" },
  succeeded: { level: "debug", message: "task succeeded" },
  snoozed: { level: "debug", message: "task put off by its handler" },
  rejected: { level: "warn", message: "no free slot for eager tasks; the poller takes them" },
  rescheduled: { level: "warn", message: "attempt failed; the task runs again later" },
  failed: { level: "error", message: "task failed for good; it waits for a reset" },
  cancelled: { level: "info", message: "task cancelled by its handler" },
  released: { level: "info", message: "claims given back unrun" },
  recycled: { level: "warn", message: "tasks taken back from a dead owner" },
  stale: { level: "warn", message: "late result refused: the claim is no longer held" },
  loopError: { level: "warn", message: "a pass failed; the loop goes on" },
  outage: { level: "error", message: "database not available; work waits for it" },
  recovered: { level: "info", message: "database available again" },
};

const PER_TYPE = { linesMax: 20, windowMs: 10_000 } as const;
/** What an outage repeats from each loop at each pass. */
const PER_LOOP = { linesMax: 1, windowMs: 30_000 } as const;

/**
 * Turns the engine's events into log lines: debug lines as they come, all others at most 20 in 10 s of one kind and
 * event type, errors of loops one in 30 s per loop; the next line says how many were left out. Returns the way to stop.
 */
export function logEngineEvents(
  engine: Pick<Engine, "on">,
  log: Logger,
  clock: Pick<Clock, "monotonicMs"> = systemClock,
): () => void {
  const limiter = new LineLimiter(clock);
  const names = Object.keys(LINES) as EngineEventName[];
  const stops = names.map((name) => engine.on(name, (event) => writeLine(log, limiter, name, event)));
  return () => {
    for (const stop of stops) stop();
  };
}

function writeLine<Name extends EngineEventName>(
  log: Logger,
  limiter: LineLimiter,
  name: Name,
  event: EngineEventMap[Name],
): void {
  const { level, message } = LINES[name];
  const fields = fieldsOf(event);
  if (level === "debug") {
    log.debug({ event: name, ...fields }, message);
    return;
  }
  const isLoop = name === "loopError" || name === "outage";
  const key = [name, fields["eventType"] ?? fields["loop"] ?? ""].join(" ");
  const suppressed = limiter.admit(key, isLoop ? PER_LOOP : PER_TYPE);
  if (suppressed === undefined) return;
  log[level]({ event: name, ...fields, ...(suppressed > 0 ? { suppressedLines: suppressed } : {}) }, message);
}

/** An error object goes under `err`, where the logger writes it whole; text stays as it is. */
function fieldsOf(event: object): Record<string, unknown> {
  const { error, ...fields } = event as { error?: unknown };
  if (error === undefined) return fields;
  return typeof error === "string" ? { ...fields, error } : { ...fields, err: error };
}
