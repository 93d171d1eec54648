import { Worker } from "node:worker_threads";
import { type Database, exactDriverOptions, sessionSettings } from "../../db/client.ts";
import { crashPoint } from "../../db/crash-points.ts";
import { beatStatement, type NewWorker, registerWorker, stopWorker } from "../../db/queries/workers.ts";
import { render } from "../../db/session.ts";
import type { ConnectionSettings } from "../../db/connection-options.ts";
import type { DatabaseHealth } from "./database-health.ts";
import { RedriveError } from "./errors.ts";
import type { Logger } from "./logger.ts";

/** Slots of the clock shared with the thread; the same numbers stand in liveness-thread.mjs. */
const LAST_BEAT = 0;
const MAIN_TICK = 1;
const LAPSES = 2;

/** The share of the death limit after which a process no longer trusts its own claims. */
const LAPSE_SHARE = 0.9;

/** The share of the death limit after which the beat is late, which a healthy database never makes it. */
const LATE_SHARE = 0.5;

interface ThreadMessage {
  readonly kind: "ok" | "lapsed" | "blocked" | "unregistered" | "error";
  readonly error?: { readonly message: string; readonly code?: string; readonly errno?: number };
}

export interface LivenessOptions {
  readonly entry: NewWorker;
  readonly beatIntervalMs: number;
  readonly deadAfterMs: number;
  readonly blockedAfterMs: number;
}

/**
 * Tells the database that this process lives, from a thread with its own connection, and tells this process whether the
 * database still believes it. `isAlive` turns false strictly before another process may take this one for dead, because
 * it counts from the moment the last confirmed beat was sent.
 */
export class Liveness {
  /** Called when the claims of this process may no longer be held. */
  onLapse: () => void = () => undefined;
  /** Called when a lapsed beat has been confirmed again. */
  onRevival: () => void = () => undefined;
  readonly #database: Database;
  readonly #options: LivenessOptions;
  readonly #health: DatabaseHealth;
  readonly #log: Logger;
  readonly #shared = new SharedArrayBuffer(24);
  readonly #slots = new BigInt64Array(this.#shared);
  #thread: Worker | undefined;
  #ticker: NodeJS.Timeout | undefined;
  #aliveSince: bigint | undefined;
  #lapses = 0;
  /** Lapses that were answered with `onLapse`; one more in the shared count has happened unnoticed by this thread. */
  #answeredLapses = 0n;
  #steadySince: bigint | undefined;
  #registering: Promise<void> | undefined;
  #stopping = false;

  constructor(database: Database, options: LivenessOptions, health: DatabaseHealth, log: Logger) {
    this.#database = database;
    this.#options = options;
    this.#health = health;
    this.#log = log;
  }

  /** Registers the process and starts the beat. Rejects if the database cannot be written. */
  async start(): Promise<void> {
    assertCloneable(this.#database.connection);
    const sentAt = process.hrtime.bigint();
    await this.#database.use((session) => registerWorker(session, this.#options.entry));
    crashPoint("beat.registered");
    Atomics.store(this.#slots, LAST_BEAT, sentAt);
    this.#aliveSince = sentAt;
    this.#tick();
    // The main loop's own sign of life, and its look at whether the beat has lapsed.
    this.#ticker = setInterval(() => this.#tick(), Math.min(200, this.#options.beatIntervalMs));
    this.#ticker.unref();
    this.#startThread();
  }

  /** Milliseconds since the last confirmed beat was sent. */
  get sinceBeatMs(): number {
    return Number(process.hrtime.bigint() - Atomics.load(this.#slots, LAST_BEAT)) / 1e6;
  }

  /**
   * True while no other process can take this one for dead, or has been able to since `onLapse` was last called: exact at
   * every moment, also right after the whole process stood still.
   */
  get isAlive(): boolean {
    return this.#aliveSince !== undefined && this.#isBeating && !this.#hasLapsedUnnoticed;
  }

  /** How often `onLapse` has been called: what was claimed under another count may be another process's by now. */
  get lapses(): number {
    return this.#lapses;
  }

  get #isBeating(): boolean {
    return this.sinceBeatMs < this.#options.deadAfterMs * LAPSE_SHARE;
  }

  get #hasLapsedUnnoticed(): boolean {
    return Atomics.load(this.#slots, LAPSES) !== this.#answeredLapses;
  }

  /** How long the beat has come in time, in milliseconds; 0 while it is late. Others may be late for the same reason. */
  get steadyMs(): number {
    if (!this.isAlive || this.#steadySince === undefined) return 0;
    return Number(process.hrtime.bigint() - this.#steadySince) / 1e6;
  }

  /** Ends the beat and leaves the registry: whatever the process still owned may be taken at once. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#ticker);
    await this.#registering;
    const thread = this.#thread;
    this.#thread = undefined;
    if (thread) {
      const ended = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
      thread.postMessage("stop");
      const impatience = setTimeout(() => void thread.terminate(), 1_000);
      await ended;
      clearTimeout(impatience);
    }
    this.#aliveSince = undefined;
    await this.#database.use((session) => stopWorker(session, this.#options.entry.owner));
  }

  #tick(): void {
    const now = process.hrtime.bigint();
    Atomics.store(this.#slots, MAIN_TICK, now);
    if (this.sinceBeatMs > this.#options.deadAfterMs * LATE_SHARE) this.#steadySince = undefined;
    else this.#steadySince ??= now;
    if (this.#aliveSince !== undefined && !this.isAlive) {
      this.#aliveSince = undefined;
      this.#steadySince = undefined;
      this.#lapses++;
      this.onLapse();
    }
    if (this.#aliveSince === undefined && this.#isBeating) {
      this.#answeredLapses = Atomics.load(this.#slots, LAPSES);
      this.#aliveSince = now;
      this.#steadySince = now;
      this.onRevival();
    }
  }

  #startThread(): void {
    const { entry, beatIntervalMs, deadAfterMs, blockedAfterMs } = this.#options;
    const { text, values } = render(beatStatement(this.#database.zone, entry.owner));
    const thread = new Worker(new URL("./liveness-thread.mjs", import.meta.url), {
      workerData: {
        connection: {
          ...exactDriverOptions(this.#database.connection),
          connectTimeout: Math.max(1_000, Math.min(5_000, deadAfterMs / 3)),
        },
        sessionSettings: sessionSettings(this.#database.zone, 1, Math.ceil((3 * beatIntervalMs) / 1_000) + 30),
        text,
        values,
        intervalMs: beatIntervalMs,
        statementTimeoutMs: Math.max(500, Math.min(5_000, deadAfterMs / 3)),
        lapsedAfterMs: Math.floor(deadAfterMs * LAPSE_SHARE),
        blockedAfterMs,
        shared: this.#shared,
      },
      // A host's own flags (loaders, coverage, memory limits) are not for this thread.
      execArgv: [],
    });
    thread.unref();
    thread.on("message", (message: ThreadMessage) => this.#heard(message));
    thread.on("error", (error) =>
      this.#log.error({ error: error.message }, "liveness thread failed; starting another"),
    );
    thread.on("exit", () => {
      if (this.#stopping || this.#thread !== thread) return;
      setTimeout(() => {
        if (!this.#stopping) this.#startThread();
      }, beatIntervalMs).unref();
    });
    this.#thread = thread;
  }

  #heard(message: ThreadMessage): void {
    if (message.kind === "ok" || message.kind === "lapsed") {
      crashPoint("beat.confirmed");
      this.#health.noteSuccess();
    }
    // The whole process stood still and its thread woke first: others may have taken its tasks meanwhile.
    if (message.kind === "lapsed") this.#tick();
    if (message.kind === "error" && message.error) {
      this.#health.noteError(Object.assign(new Error(message.error.message), message.error));
    }
    if (message.kind === "unregistered" && !this.#stopping) {
      // Somebody removed the entry while this process was silent; what it owned is judged without it.
      this.#registering ??= this.#database
        .use((session) => registerWorker(session, this.#options.entry))
        .catch((error: unknown) => this.#health.noteError(error))
        .finally(() => {
          this.#registering = undefined;
        });
    }
  }
}

/** A thread is given copies, and functions have none. */
function assertCloneable(connection: ConnectionSettings): void {
  for (const [name, value] of Object.entries(connection)) {
    try {
      structuredClone(value);
    } catch (error) {
      throw new RedriveError(
        "INVALID_OPTION",
        `the connection setting "${name}" holds a function, which the liveness thread cannot be given; pass \`connection\` without it in the engine's options`,
        { cause: error },
      );
    }
  }
}
