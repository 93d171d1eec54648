import type { MySql2Database } from "drizzle-orm/mysql2";
import type { Pool, PoolConnection } from "mysql2/promise";
import { z } from "zod";
import type { ConnectionSettings } from "../../db/connection-options.ts";
import { settingsProblems } from "../../db/event-type-settings.ts";
import { SessionZone } from "../../db/session-zone.ts";
import { type Clock, systemClock } from "./clock.ts";
import { RedriveError } from "./errors.ts";
import type { DrizzleTransaction, Handler } from "./handler.ts";
import { type Logger, silentLogger } from "./logger.ts";

/** What a service hands in: its mysql2 promise pool, or its Drizzle database over one. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the schema parameter is the caller's own
export type ServiceDatabase = Pool | MySql2Database<any>;

/** The transaction object that `engine.transaction` gives for a kind of database. */
export type TransactionOf<Source extends ServiceDatabase> = Source extends Pool ? PoolConnection : DrizzleTransaction;

const tuningSchema = z
  .strictObject({
    /** Connections of the engine's own pool, apart from the service's: 2 to 100. */
    connections: z.number().int().min(2).max(100).default(6),
    /** How often the process says that it is alive: 100 ms to one minute. */
    beatIntervalMs: z.number().int().min(100).max(60_000).default(2_000),
    /** Silence after which its tasks are recycled: 500 ms to one hour, at least three beats. */
    deadAfterMs: z.number().int().min(500).max(3_600_000).default(10_000),
    /** A blocked event loop counts as death only after so long: 1 s to one hour. */
    blockedAfterMs: z.number().int().min(1_000).max(3_600_000).default(60_000),
    /** Rows in status 3 of unknown owners are recycled when untouched for so long: 1 s to 30 days. */
    foreignAfterMs: z.number().int().min(1_000).max(2_592_000_000).default(180_000),
    /** How often settings and registry are looked at: 100 ms to one minute. */
    syncIntervalMs: z.number().int().min(100).max(60_000).default(3_000),
    /** How often dead owners are looked for: 100 ms to one minute. */
    recycleIntervalMs: z.number().int().min(100).max(60_000).default(1_000),
    /** Largest payload, in UTF-8 bytes: 1 to 16,777,215 (MEDIUMTEXT). */
    payloadBytesMax: z.number().int().min(1).max(16_777_215).default(1_048_576),
    /** Stored error text is cut at so many UTF-8 bytes: 256 to 60,000. */
    errorBytesMax: z.number().int().min(256).max(60_000).default(8_192),
    /** Successes are written together for at most so long: 0 to 100 ms. */
    completionDelayMs: z.number().int().min(0).max(100).default(5),
    /** Run new tasks right after their commit in this process. */
    eager: z.boolean().default(true),
    /** Look for due tasks and dead owners in this process. */
    poll: z.boolean().default(true),
    /** Fixed offset in which instants are stored, the same for every process on this database. */
    zone: z.string().default("+00:00"),
    /** Name under which this process's tasks say who created them: at most 64 characters. */
    origin: z.string().min(1).max(64).optional(),
  })
  .refine((tuning) => tuning.deadAfterMs >= 3 * tuning.beatIntervalMs, {
    message: "deadAfterMs must be at least three times beatIntervalMs",
    path: ["deadAfterMs"],
  })
  .refine((tuning) => tuning.blockedAfterMs >= tuning.deadAfterMs, {
    message: "blockedAfterMs must not be shorter than deadAfterMs",
    path: ["blockedAfterMs"],
  });

export type EngineTuning = z.infer<typeof tuningSchema>;

export interface EngineOptions<Source extends ServiceDatabase = ServiceDatabase> extends Partial<
  Omit<EngineTuning, "origin">
> {
  readonly database: Source;
  readonly handlers?: readonly Handler[];
  /** Where the engine's own connections go; left out, read from `database`. */
  readonly connection?: ConnectionSettings;
  readonly origin?: string | undefined;
  readonly log?: Logger;
  readonly clock?: Clock;
  /** 0 (included) to 1 (excluded); jitter and random waits. */
  readonly random?: () => number;
}

export interface EngineConfig extends EngineTuning {
  readonly sessionZone: SessionZone;
  readonly handlers: readonly Handler[];
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: () => number;
}

/** @throws RedriveError INVALID_OPTION naming every problem at once. */
export function engineConfig(options: EngineOptions): EngineConfig {
  const { database: _database, connection: _connection, handlers = [], log, clock, random, ...tuning } = options;
  const problems: string[] = [];
  const given = Object.fromEntries(Object.entries(tuning).filter(([, value]) => value !== undefined));
  const parsed = tuningSchema.safeParse(given);
  if (!parsed.success) problems.push(...settingsProblems(parsed.error));
  let sessionZone = SessionZone.utc;
  try {
    if (parsed.success) sessionZone = SessionZone.parse(parsed.data.zone);
  } catch (error) {
    problems.push(`zone: ${(error as Error).message}`);
  }
  const seen = new Set<string>();
  for (const handler of handlers) {
    // Plain JavaScript may pass the options themselves, whose settings would then be silently ignored.
    if (typeof (handler as Partial<Handler> | undefined)?.settings !== "object") {
      problems.push("handlers: each must be made by defineHandler(…)");
      continue;
    }
    if (seen.has(handler.eventType)) problems.push(`handlers: ${handler.eventType} is declared twice`);
    seen.add(handler.eventType);
  }
  if (problems.length > 0 || !parsed.success) {
    throw new RedriveError("INVALID_OPTION", `engine options: ${problems.join("; ")}`);
  }
  return {
    ...parsed.data,
    sessionZone,
    handlers,
    log: log ?? silentLogger,
    clock: clock ?? systemClock,
    random: random ?? Math.random,
  };
}
