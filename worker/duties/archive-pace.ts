import { Database } from "../../db/client.ts";
import { type ConnectionSettings, describeTarget } from "../../db/connection-options.ts";
import { readHistoryLength } from "../../db/doctor-activity.ts";
import { readNewestBeat, readServerKind } from "../../db/queries/archive-brakes.ts";
import { BATCH_ROWS_MAX } from "../../db/queries/claim-tasks.ts";
import type { ServerKind } from "../../db/server-version.ts";
import type { SessionZone } from "../../db/session-zone.ts";
import type { Clock } from "../engine/clock.ts";

/** Something that says when the server, or one that depends on it, has enough to do. */
export interface Brake {
  readonly name: string;
  /** Why to pause now; undefined: go on. */
  reason(): Promise<string | undefined>;
}

export interface PaceOptions {
  /** Rows moved per second at most; 0: no limit. */
  readonly rowsPerSecond: number;
  readonly brakes: readonly Brake[];
  readonly clock: Clock;
  /** Tasks of one transaction at most. Default: few under a high limit, as many as a statement takes under a low one or none. */
  readonly batchRows?: number | undefined;
  /** While there is a limit: the rest after a batch, as a multiple of the time that the batch took. */
  readonly restShare?: number | undefined;
  /** A brake that cannot be asked does not brake; this is told why. */
  readonly onBrakeError?: (brake: string, error: unknown) => void;
}

/** Moved a second by a worker's duty unless its environment says otherwise: what claims beside it do not feel. */
export const DUTY_ROWS_PER_SECOND = 500;
/** And by a command: whoever gives it waits for its end. */
export const COMMAND_ROWS_PER_SECOND = 5_000;

const LOOK_MS = 5_000;
/** Whoever commits beside a batch waits until that is on the disk: a few times a second that is not felt. */
const UNFELT_ROWS_PER_SECOND = 1_000;
/** Above, commits are many, so that each should be small. */
const GENTLE_BATCH_ROWS = 50;
/** A batch that takes long says that the server has enough to do: the slower it is, the less is asked of it. */
const REST_SHARE = 0.5;
/** Time that was lost to slow batches and may be made good. */
const CREDIT_MS = 250;

/** How fast rows may be moved: so many per second, and not at all while a brake holds. */
export class ArchivePace {
  readonly #options: PaceOptions;
  #freeAtMs = Number.NEGATIVE_INFINITY;
  #restUntilMs = Number.NEGATIVE_INFINITY;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #reason: string | undefined;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Tasks that the next transaction may move. */
  get batchRows(): number {
    const { batchRows, rowsPerSecond } = this.#options;
    return Math.min(
      BATCH_ROWS_MAX,
      batchRows ?? (rowsPerSecond > UNFELT_ROWS_PER_SECOND ? GENTLE_BATCH_ROWS : BATCH_ROWS_MAX),
    );
  }

  /** Why to pause now, asked at most every five seconds; undefined: go on. */
  async obstacle(): Promise<string | undefined> {
    const { brakes, clock, onBrakeError } = this.#options;
    if (clock.monotonicMs() - this.#lookedAtMs < LOOK_MS) return this.#reason;
    this.#reason = undefined;
    for (const brake of brakes) {
      try {
        this.#reason ??= await brake.reason();
      } catch (error) {
        onBrakeError?.(brake.name, error);
      }
    }
    this.#lookedAtMs = clock.monotonicMs();
    return this.#reason;
  }

  /** Waits until the rows that were moved have had their time; cut short by the signal. */
  async wait(signal: AbortSignal): Promise<void> {
    const waitMs = Math.max(this.#freeAtMs, this.#restUntilMs) - this.#options.clock.monotonicMs();
    if (waitMs > 0) await this.#options.clock.sleep(waitMs, signal);
  }

  /** So many rows were moved since `startedMs`. */
  moved(rows: number, startedMs: number): void {
    const { rowsPerSecond, restShare = REST_SHARE, clock } = this.#options;
    if (rowsPerSecond === 0) return;
    const nowMs = clock.monotonicMs();
    this.#freeAtMs = Math.max(startedMs - CREDIT_MS, this.#freeAtMs) + (rows * 1_000) / rowsPerSecond;
    this.#restUntilMs = nowMs + (nowMs - startedMs) * restShare;
  }
}

/** Pauses while more old row versions than `lengthMax` wait for purge: each moved row leaves a dozen behind. */
export class HistoryBrake implements Brake {
  readonly name = "history list length";
  readonly #database: Pick<Database, "use">;
  readonly #lengthMax: number;
  #kind: ServerKind | undefined;

  constructor(database: Pick<Database, "use">, lengthMax: number) {
    this.#database = database;
    this.#lengthMax = lengthMax;
  }

  async reason(): Promise<string | undefined> {
    const length = await this.#database.use(async (session) => {
      this.#kind ??= await readServerKind(session);
      return readHistoryLength(session, this.#kind);
    });
    if (length <= this.#lengthMax) return undefined;
    return `${length} old row versions wait for purge, more than ${this.#lengthMax}: a long transaction is open somewhere, or purge cannot keep up`;
  }
}

/**
 * Pauses while a replica is behind: its newest heartbeat of any worker is compared with the primary's, so no clock but
 * the primary's counts, and no privilege and no way of replication is asked for.
 */
export class ReplicaBrake implements Brake {
  readonly name: string;
  readonly #primary: Pick<Database, "use">;
  readonly #replica: Database;
  readonly #lagMsMax: number;

  constructor(
    primary: Pick<Database, "use">,
    replica: { readonly connection: ConnectionSettings; readonly zone: SessionZone },
    lagMsMax: number,
  ) {
    this.name = `replica ${describeTarget(replica.connection)}`;
    this.#primary = primary;
    this.#lagMsMax = lagMsMax;
    this.#replica = new Database({
      ...replica,
      connectionLimit: 1,
      acquireTimeoutMs: 3_000,
      statementTimeoutMs: 3_000,
    });
  }

  async reason(): Promise<string | undefined> {
    const there = await this.#replica.use(readNewestBeat);
    const here = await this.#primary.use(readNewestBeat);
    const lagMs = here && there ? here.getTime() - there.getTime() : here ? Number.POSITIVE_INFINITY : 0;
    if (lagMs <= this.#lagMsMax) return undefined;
    const behind = Number.isFinite(lagMs) ? `${Math.round(lagMs / 1_000)} s behind` : "without any heartbeat";
    return `the ${this.name} is ${behind}, more than ${Math.round(this.#lagMsMax / 1_000)} s`;
  }

  async close(): Promise<void> {
    await this.#replica.close();
  }
}

/** What the environment says about the pace. */
export interface ArchivePaceSettings {
  readonly rowsPerSecond: number;
  readonly batchRows?: number;
  readonly restShare?: number;
  readonly historyMax: number;
  readonly replicas: readonly ConnectionSettings[];
  readonly replicaLagMsMax: number;
}

/** The pace with every brake that the settings ask for; `close` ends its connections to replicas. */
export function createArchivePace(
  settings: ArchivePaceSettings,
  parts: {
    readonly database: Database;
    readonly clock: Clock;
    readonly onBrakeError: (brake: string, error: unknown) => void;
  },
): { readonly pace: ArchivePace; close(): Promise<void> } {
  const { database, clock, onBrakeError } = parts;
  const replicas = settings.replicas.map(
    (connection) => new ReplicaBrake(database, { connection, zone: database.zone }, settings.replicaLagMsMax),
  );
  const brakes = [new HistoryBrake(database, settings.historyMax), ...replicas];
  return {
    pace: new ArchivePace({
      rowsPerSecond: settings.rowsPerSecond,
      batchRows: settings.batchRows,
      restShare: settings.restShare,
      brakes,
      clock,
      onBrakeError,
    }),
    close: async () => void (await Promise.all(replicas.map((replica) => replica.close()))),
  };
}
