import { z } from "zod";
import type { ConnectionSettings } from "../db/connection-options.ts";
import type { SessionZone } from "../db/session-zone.ts";
import { suggestion } from "./closest-name.ts";
import { type ArchivePaceSettings, COMMAND_ROWS_PER_SECOND, DUTY_ROWS_PER_SECOND } from "./duties/archive-pace.ts";
import { engineConfig, type EngineTuning, type ServiceDatabase } from "./engine/config.ts";
import { RedriveError } from "./engine/errors.ts";
import * as fields from "./env-fields.ts";
import { openTarget } from "./export/open-target.ts";
import type { S3Settings } from "./export/s3-client.ts";

export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every number of the engine that the environment can set, with both limits; not set, the engine's default holds. */
export const TUNING_NUMBERS = {
  REDRIVE_CONNECTIONS: { option: "connections", min: 2, max: 100, note: "connections; default 6" },
  REDRIVE_BEAT_INTERVAL_MS: { option: "beatIntervalMs", min: 100, max: 60_000, note: "ms; default 2000" },
  REDRIVE_DEAD_AFTER_MS: { option: "deadAfterMs", min: 500, max: 3_600_000, note: "ms; default 10000" },
  REDRIVE_BLOCKED_AFTER_MS: { option: "blockedAfterMs", min: 1_000, max: 3_600_000, note: "ms; default 60000" },
  REDRIVE_FOREIGN_AFTER_MS: { option: "foreignAfterMs", min: 1_000, max: 2_592_000_000, note: "ms; default 180000" },
  REDRIVE_SYNC_INTERVAL_MS: { option: "syncIntervalMs", min: 100, max: 60_000, note: "ms; default 3000" },
  REDRIVE_RECYCLE_INTERVAL_MS: { option: "recycleIntervalMs", min: 100, max: 60_000, note: "ms; default 1000" },
  REDRIVE_PAYLOAD_BYTES_MAX: { option: "payloadBytesMax", min: 1, max: 16_777_215, note: "bytes; default 1048576" },
  REDRIVE_ERROR_BYTES_MAX: { option: "errorBytesMax", min: 256, max: 60_000, note: "bytes; default 8192" },
  REDRIVE_COMPLETION_DELAY_MS: { option: "completionDelayMs", min: 0, max: 100, note: "ms; default 5" },
} as const;

type TuningVariable = keyof typeof TUNING_NUMBERS;
const tuningVariables = Object.keys(TUNING_NUMBERS) as TuningVariable[];

const tuningFields = Object.fromEntries(
  tuningVariables.map((variable) => [variable, fields.numberField(undefined, TUNING_NUMBERS[variable])]),
) as Record<TuningVariable, ReturnType<typeof fields.numberField<undefined>>>;

/** How fast finished tasks are moved, for the worker and for `redrive archive`. */
const archiveFields = {
  /** Rows moved per second at most; 0: as fast as it goes. */
  REDRIVE_ARCHIVE_ROWS_PER_SECOND: fields.numberField(undefined, {
    min: 0,
    max: 1_000_000,
    note: `0: no limit; default ${DUTY_ROWS_PER_SECOND} for a worker, ${COMMAND_ROWS_PER_SECOND} for a command`,
  }),
  /** Moving pauses while more old row versions than this wait for purge. */
  REDRIVE_ARCHIVE_HISTORY_MAX: fields.numberField(1_000_000, {
    min: 1_000,
    max: 1_000_000_000_000,
    note: "history list length; default 1000000",
  }),
  /** Replicas that must not fall behind, as URLs with commas between them. */
  REDRIVE_ARCHIVE_REPLICAS: fields.databaseUrlsField,
  /** Moving pauses while one of them is so far behind. */
  REDRIVE_ARCHIVE_REPLICA_LAG_MS: fields.numberField(10_000, {
    min: 3_000,
    max: 86_400_000,
    note: "ms; default 10000",
  }),
} as const;

/** Where the archive is exported to, and what may be purged; for the worker and for `redrive export`, `purge`, `restore`. */
const historyFields = {
  /** s3://bucket/prefix, file:///folder or a folder; not set: nothing is exported. */
  REDRIVE_EXPORT_TARGET: fields.textField(1, 255, "s3://bucket/prefix or a folder"),
  /** Whether only days whose export was verified are purged. */
  REDRIVE_PURGE_REQUIRES_EXPORT: fields.flagField,
  /** Credentials and region of s3:// targets, by the names that all tools for S3 use. */
  AWS_ACCESS_KEY_ID: fields.textField(1, 256, "the id of an access key"),
  AWS_SECRET_ACCESS_KEY: fields.textField(1, 256, "the secret of an access key"),
  AWS_SESSION_TOKEN: fields.textField(1, 8_192, "the token of a session"),
  AWS_REGION: fields.textField(1, 64, "a region"),
  /** Base URL of a store that is not Amazon's, such as http://127.0.0.1:9000. */
  AWS_ENDPOINT_URL_S3: fields.webUrlField,
  AWS_ENDPOINT_URL: fields.webUrlField,
} as const;

/** Every variable of the worker and of the command line. An empty value counts as not set. */
const environmentSchema = z.object({
  /** mysql://user:password@host:3306/database */
  DATABASE_URL: fields.databaseUrlField,
  /** Module that exports the team's handlers: a path, from the working directory, or a package. */
  REDRIVE_HANDLERS: fields.requiredTextField(
    "the path of the module that exports your handlers, such as ./handlers.js, or the name of its package",
  ),
  /** Port of health, metrics and wake; 0 takes any free one and logs it. */
  WORKER_PORT: fields.numberField(3001, { min: 0, max: 65_535, note: "0 takes any free port; default 3001" }),
  /**
   * Address of health, metrics and wake. Health and metrics ask nobody who they are, so only this host is served unless
   * you say otherwise; in a container write 0.0.0.0.
   */
  WORKER_HOST: fields.hostField("127.0.0.1"),
  /** Bearer token of POST /v1/wake; not set, wake is off. */
  REDRIVE_WAKE_TOKEN: fields.textField(16, 512, "a random token"),
  LOG_LEVEL: fields.choiceField<LogLevel>("info", LOG_LEVELS),
  /** Fixed offset in which instants are stored, the same for every process on this database. */
  REDRIVE_ZONE: fields.zoneField,
  /** Longest wait for running handlers at shutdown. */
  REDRIVE_GRACE_MS: fields.numberField(30_000, { min: 0, max: 3_600_000, note: "ms; default 30000" }),
  /** Connections that handlers share for `ctx.transaction`, apart from the engine's own; not set: one for each, up to 50. */
  REDRIVE_HANDLER_CONNECTIONS: fields.numberField(undefined, { min: 1, max: 1_000, note: "connections" }),
  /** Whether tasks created in this process run right after their commit. */
  REDRIVE_EAGER: fields.flagField,
  /** Whether this process looks for due tasks and dead owners. */
  REDRIVE_POLL: fields.flagField,
  /** Name under which tasks created by this process say who made them. */
  REDRIVE_ORIGIN: fields.textField(1, 64, "a name"),
  /** Whether this process may be the one that moves finished tasks to the archive. */
  REDRIVE_ARCHIVE: fields.flagField,
  ...archiveFields,
  /** Whether this process may carry on bulk actions of the console. */
  REDRIVE_BULK: fields.flagField,
  /** Whether this process may be the one that purges the archive by each type's retention. */
  REDRIVE_PURGE: fields.flagField,
  ...historyFields,
  ...tuningFields,
});

/** Set for the console and for tests of the same installation; no concern of these processes, and no typing error. */
const FOREIGN_VARIABLES = /^REDRIVE_(CONSOLE_\w+|BASE_PATH|READ_ONLY|TRUSTED_PROXIES|ENVIRONMENT|CHROMIUM|TEST_ZONE)$/;

/** The settings of export, purge and restore. */
export interface HistorySettings {
  readonly exportTarget: string | undefined;
  readonly purgeRequiresExport: boolean;
  readonly s3: S3Settings | undefined;
}

export interface WorkerEnv {
  readonly connection: ConnectionSettings;
  readonly zone: SessionZone;
  readonly handlersModule: string;
  readonly port: number;
  readonly host: string;
  readonly wakeToken: string | undefined;
  readonly logLevel: LogLevel;
  readonly graceMs: number;
  readonly handlerConnections: number | undefined;
  /** Undefined: this process never archives. */
  readonly archive: ArchivePaceSettings | undefined;
  /** Whether this process may carry on bulk actions. */
  readonly bulk: boolean;
  /** Whether this process may purge. */
  readonly purge: boolean;
  readonly history: HistorySettings;
  /** Engine options that are set; the rest is left to the engine's defaults. */
  readonly tuning: Partial<EngineTuning>;
  /** One line per variable that looks like ours and is not. */
  readonly warnings: readonly string[];
}

export interface CliEnv {
  readonly connection: ConnectionSettings;
  readonly zone: SessionZone;
  readonly archive: ArchivePaceSettings;
  readonly history: HistorySettings;
  readonly tuning: EngineTuning;
  /** Where people open the console, as far as the command knows. */
  readonly consoleUrl: string | undefined;
}

/** The environment cannot be used; `problems` holds one line per variable that is wrong. */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
  readonly code = "INVALID_ENVIRONMENT";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

type Source = Readonly<Record<string, string | undefined>>;

/** Reads the worker's settings. @throws EnvironmentError with every problem at once. */
export function readWorkerEnv(source: Source): WorkerEnv {
  const env = parse(environmentSchema, source);
  const tuning = { ...tuningOf(env), eager: env.REDRIVE_EAGER, poll: env.REDRIVE_POLL, origin: env.REDRIVE_ORIGIN };
  checkPairs(tuning);
  return {
    connection: env.DATABASE_URL,
    zone: env.REDRIVE_ZONE,
    handlersModule: env.REDRIVE_HANDLERS,
    port: env.WORKER_PORT,
    host: env.WORKER_HOST,
    wakeToken: env.REDRIVE_WAKE_TOKEN,
    logLevel: env.LOG_LEVEL,
    graceMs: env.REDRIVE_GRACE_MS,
    handlerConnections: env.REDRIVE_HANDLER_CONNECTIONS,
    archive: (env.REDRIVE_ARCHIVE ?? true) ? archiveOf(env, DUTY_ROWS_PER_SECOND) : undefined,
    bulk: env.REDRIVE_BULK ?? true,
    purge: env.REDRIVE_PURGE ?? true,
    history: historyOf(env),
    tuning: { ...tuning, zone: env.REDRIVE_ZONE.name },
    warnings: unknownVariables(source),
  };
}

const cliSchema = environmentSchema.pick({ DATABASE_URL: true, REDRIVE_ZONE: true }).extend({
  ...tuningFields,
  ...archiveFields,
  ...historyFields,
  /** The origin and the path of the console, for the links that the command makes. */
  REDRIVE_CONSOLE_ORIGIN: fields.webUrlField,
  REDRIVE_BASE_PATH: fields.textField(0, 200, "a path such as /console"),
});

/** Reads what the command line needs. @throws EnvironmentError with every problem at once. */
export function readCliEnv(source: Source): CliEnv {
  const env = parse(cliSchema, source);
  return {
    connection: env.DATABASE_URL,
    zone: env.REDRIVE_ZONE,
    tuning: checkPairs(tuningOf(env)),
    archive: archiveOf(env, COMMAND_ROWS_PER_SECOND),
    history: historyOf(env),
    consoleUrl:
      env.REDRIVE_CONSOLE_ORIGIN && `${env.REDRIVE_CONSOLE_ORIGIN.replace(/\/$/, "")}${env.REDRIVE_BASE_PATH ?? ""}`,
  };
}

function historyOf(env: z.infer<z.ZodObject<typeof historyFields>>): HistorySettings {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  const s3 =
    accessKeyId && secretAccessKey
      ? {
          accessKeyId,
          secretAccessKey,
          sessionToken: env.AWS_SESSION_TOKEN,
          region: env.AWS_REGION,
          endpoint: env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL,
        }
      : undefined;
  const exportTarget = env.REDRIVE_EXPORT_TARGET;
  try {
    if (exportTarget !== undefined) openTarget(exportTarget, s3);
  } catch (error) {
    throw new EnvironmentError([`REDRIVE_EXPORT_TARGET: ${(error as Error).message}`]);
  }
  return { exportTarget, s3, purgeRequiresExport: env.REDRIVE_PURGE_REQUIRES_EXPORT ?? true };
}

function archiveOf(env: z.infer<z.ZodObject<typeof archiveFields>>, rowsPerSecond: number): ArchivePaceSettings {
  return {
    rowsPerSecond: env.REDRIVE_ARCHIVE_ROWS_PER_SECOND ?? rowsPerSecond,
    historyMax: env.REDRIVE_ARCHIVE_HISTORY_MAX,
    replicas: env.REDRIVE_ARCHIVE_REPLICAS,
    replicaLagMsMax: env.REDRIVE_ARCHIVE_REPLICA_LAG_MS,
  };
}

function parse<Schema extends z.ZodType>(schema: Schema, source: Source): z.infer<Schema> {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new EnvironmentError(parsed.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`));
}

function tuningOf(env: Record<TuningVariable, number | undefined>): Partial<EngineTuning> {
  return Object.fromEntries(tuningVariables.map((variable) => [TUNING_NUMBERS[variable].option, env[variable]]));
}

/** `engineConfig` reads the tuning only; which database it is for does not matter to it. */
const NO_DATABASE = {} as ServiceDatabase;

/** What the engine has to say about values that are right alone and wrong together, in the names of the variables. */
function checkPairs(tuning: Partial<EngineTuning>): EngineTuning {
  try {
    return engineConfig({ database: NO_DATABASE, ...tuning });
  } catch (error) {
    if (!(error instanceof RedriveError)) throw error;
    const named = tuningVariables.reduce(
      (message, variable) => message.replaceAll(new RegExp(`\\b${TUNING_NUMBERS[variable].option}\\b`, "g"), variable),
      error.message.replace(/^engine options: /, ""),
    );
    throw new EnvironmentError(named.split("; "));
  }
}

function unknownVariables(source: Source): string[] {
  const known = Object.keys(environmentSchema.shape);
  return Object.keys(source)
    .filter((name) => name.startsWith("REDRIVE_") && !known.includes(name) && !FOREIGN_VARIABLES.test(name))
    .map((name) => `${name} is not a setting of the worker and has no effect${suggestion(name, known)}`);
}
