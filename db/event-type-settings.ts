import { z } from "zod";

/** The longest wait between two attempts, for any input: 24 hours. */
export const BACKOFF_SECONDS_MAX = 86_400;

export const RETRY_STRATEGIES = ["FIXED", "EXPONENTIAL", "LINEAR", "LEVELS", "RANDOM", "CRON"] as const;
export type RetryStrategy = (typeof RETRY_STRATEGIES)[number];

const hours = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => (from + index) * 3_600);

/** 10 s, 15 s, 30 s, 1 m, 2 m, 4 m, 6 m, 8 m, 10 m, 20 m, 40 m, then 1 h to 12 h by the hour. */
export const DEFAULT_LEVELS_SECONDS: readonly number[] = [
  10,
  15,
  30,
  60,
  120,
  240,
  360,
  480,
  600,
  1_200,
  2_400,
  ...hours(1, 12),
];

const wholeNumber = (min: number, max: number) => z.number().int().min(min).max(max);
const intervalSeconds = wholeNumber(1, BACKOFF_SECONDS_MAX);

/** A time that rows are kept for, in whole seconds up to ten years; 0: not at all; "forever": no limit. Nothing else is valid. */
const keptSeconds = z.union([wholeNumber(0, 315_360_000), z.literal("forever")]);

/** How long something is kept, in seconds, or without limit. */
export type KeptSeconds = z.infer<typeof keptSeconds>;

/** Everything that can be set per event type, with its unit in its name and both limits. Unknown keys are errors. */
export const eventTypeSettingsSchema = z.strictObject({
  /** Handlers of this type that run at once in one process: 1 to 1,000. */
  concurrency: wholeNumber(1, 1_000),
  /** Claimed tasks that may wait for a slot in one process: 0 to 10,000. */
  queueSize: wholeNumber(0, 10_000),
  /** Rows one claim takes at most: 1 to 200. */
  batchSize: wholeNumber(1, 200),
  /** Longest time between two looks for due tasks: 50 ms to one hour. */
  pollIntervalMs: wholeNumber(50, 3_600_000),
  /** Longest run of one attempt: 10 ms to 24 hours. */
  timeLimitMs: wholeNumber(10, 86_400_000),
  strategy: z.enum(RETRY_STRATEGIES),
  /** First wait of FIXED, EXPONENTIAL and LINEAR: 1 s to 24 hours. */
  firstIntervalSeconds: intervalSeconds,
  /** Waits of LEVELS, the last one repeats: 1 to 100 entries of 1 s to 24 hours. */
  levelsSeconds: z.array(intervalSeconds).min(1).max(100),
  /** Shortest and longest wait of RANDOM. */
  rangeSeconds: z
    .tuple([intervalSeconds, intervalSeconds])
    .refine(([from, to]) => from <= to, "the first must not exceed the second"),
  /** Cron expression of CRON, in UTC. */
  cron: z.string().min(1).max(120).optional(),
  /** Random spread around each wait, 0 (none) to 1 (from nothing to double). */
  jitter: z.number().min(0).max(1),
  /** Cap of each wait: 1 s to 24 hours. */
  capSeconds: intervalSeconds,
  /** Handler calls that may fail before the task is failed for good: 1 to 1,000,000. */
  maxRetryCount: wholeNumber(1, 1_000_000),
  /** Abandonments (deaths of the worker) before the task is failed for good: 1 to 100. */
  maxRecycles: wholeNumber(1, 100),
  /** How long succeeded and cancelled tasks stay in the live table after their end; 0: moved as soon as possible. */
  liveKeptSeconds: keptSeconds,
  /** The same for tasks that failed for good, counted from the failure. */
  failedKeptSeconds: keptSeconds,
  /** How long tasks stay in the archive after they were moved there. */
  archiveKeptSeconds: keptSeconds,
  /** The same for tasks that failed for good; not set: as `archiveKeptSeconds`. */
  archiveFailedKeptSeconds: keptSeconds.optional(),
  /** An enqueue also looks for its key among tasks archived so recently; 0: only among live ones. */
  dedupeSeconds: wholeNumber(0, 315_360_000),
  /** Values of the payload that the console masks, beside those it recognises: `$.user.name`, `items[*].no`; `*` is any step. */
  redactPaths: z.array(z.string().min(1).max(200)).max(100).optional(),
});

export type EventTypeSettings = z.infer<typeof eventTypeSettingsSchema>;

export const DEFAULT_EVENT_TYPE_SETTINGS: EventTypeSettings = {
  concurrency: 16,
  queueSize: 400,
  batchSize: 200,
  pollIntervalMs: 10_000,
  timeLimitMs: 60_000,
  strategy: "EXPONENTIAL",
  firstIntervalSeconds: 10,
  levelsSeconds: [...DEFAULT_LEVELS_SECONDS],
  rangeSeconds: [10, 600],
  jitter: 0,
  capSeconds: BACKOFF_SECONDS_MAX,
  maxRetryCount: 10,
  maxRecycles: 3,
  liveKeptSeconds: 7 * 86_400,
  failedKeptSeconds: 7 * 86_400,
  archiveKeptSeconds: "forever",
  dedupeSeconds: 0,
};

/** What code or console may set: any part of the settings. */
export const eventTypeOverridesSchema = eventTypeSettingsSchema.partial();
export type EventTypeOverrides = z.infer<typeof eventTypeOverridesSchema>;

/** The settings in force: defaults, then what the code declares, then what people changed. */
export function effectiveSettings(code: EventTypeOverrides, overrides: EventTypeOverrides): EventTypeSettings {
  return { ...DEFAULT_EVENT_TYPE_SETTINGS, ...code, ...overrides };
}

/** Reads stored settings text. Undefined if it is not valid: the caller keeps what it had and says so. */
export function parseStoredSettings(text: string | undefined): EventTypeOverrides | undefined {
  if (text === undefined || text === "") return {};
  try {
    const parsed = eventTypeOverridesSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Every problem of a settings object as one readable line each, with the path of the key. */
export function settingsProblems(error: z.ZodError): string[] {
  return error.issues.map((issue) => `${issue.path.join(".") || "settings"}: ${issue.message}`);
}
