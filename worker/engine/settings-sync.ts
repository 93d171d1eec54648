import type { Database } from "../../db/client.ts";
import { effectiveSettings, type EventTypeSettings, parseStoredSettings } from "../../db/event-type-settings.ts";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import { type EventTypeRow, listEventTypes, registerEventType } from "../../db/queries/event-types.ts";
import { type PoolReport, reportWorker } from "../../db/queries/workers.ts";
import type { WorkerState } from "../../db/schema/worker.ts";
import type { Clock } from "./clock.ts";
import type { DatabaseClock } from "./database-clock.ts";
import type { EngineEvents } from "./events.ts";
import type { EventTypeRuntime } from "./event-type-runtime.ts";
import type { Logger } from "./logger.ts";
import { Loop } from "./loop.ts";

export interface SettingsSyncParts {
  readonly database: Database;
  readonly owner: string;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly log: Logger;
  readonly intervalMs: number;
  readonly types: ReadonlyMap<string, EventTypeRuntime>;
  readonly databaseClock: DatabaseClock;
  readonly state: () => WorkerState;
}

/** Brings what people changed into this process, and tells the registry what this process is doing. */
export class SettingsSync extends Loop {
  readonly #parts: SettingsSyncParts;
  readonly #complainedRevision = new Map<string, number>();
  #registry: ReadonlyMap<string, EventTypeRow> = new Map();
  #lookedUpMs = Number.NEGATIVE_INFINITY;

  constructor(parts: SettingsSyncParts) {
    super("settings", parts.clock, parts.events);
    this.#parts = parts;
  }

  /** Declares the handlers' types in the registry, then reads all settings. */
  async register(): Promise<void> {
    const { database, types } = this.#parts;
    await database.use(async (session) => {
      for (const [name, { handler }] of types) {
        await registerEventType(session, name, JSON.stringify(handler.settings));
      }
    });
    await this.refresh();
  }

  /** Settings of a type that this process has no handler for; looks an unknown one up anew at most once a second. */
  async settingsOf(eventType: string): Promise<EventTypeSettings | undefined> {
    const now = this.clock.monotonicMs();
    if (!this.#registry.has(eventType) && now - this.#lookedUpMs >= 1_000) {
      this.#lookedUpMs = now;
      await this.refresh();
    }
    const row = this.#registry.get(eventType);
    if (!row) return undefined;
    return effectiveSettings(
      parseStoredSettings(row.codeSettings) ?? {},
      parseStoredSettings(row.overrideSettings) ?? {},
    );
  }

  async refresh(): Promise<void> {
    const { database, clock, databaseClock } = this.#parts;
    const askedAtMs = clock.monotonicMs();
    const [now, rows] = await database.use(async (session) => [
      await readDatabaseNow(session),
      await listEventTypes(session),
    ]);
    databaseClock.set(now, askedAtMs);
    this.#registry = new Map(rows.map((row) => [row.eventType, row]));
    for (const [name, runtime] of this.#parts.types) this.#apply(runtime, this.#registry.get(name));
  }

  override async runOnce(): Promise<number> {
    await this.refresh();
    await this.report();
    return this.#parts.intervalMs;
  }

  async report(): Promise<void> {
    const { database, owner, types, state } = this.#parts;
    const pools: Record<string, PoolReport> = {};
    for (const [name, { pool }] of types) {
      pools[name] = { concurrency: pool.concurrency, running: pool.running, queued: pool.queued };
    }
    await database.use((session) => reportWorker(session, { owner, state: state(), pools }));
  }

  #apply(runtime: EventTypeRuntime, row: EventTypeRow | undefined): void {
    const overrides = parseStoredSettings(row?.overrideSettings);
    if (overrides === undefined) {
      if (row && this.#complainedRevision.get(row.eventType) !== row.revision) {
        this.#complainedRevision.set(row.eventType, row.revision);
        this.#parts.log.error(
          { eventType: row.eventType },
          "override settings cannot be read; the settings before stay in force",
        );
      }
      return;
    }
    const settings = effectiveSettings(runtime.handler.settings, overrides);
    const wasPaused = runtime.isPaused;
    const before = runtime.settings;
    runtime.settings = settings;
    runtime.isPaused = row?.paused ?? false;
    if (before.concurrency !== settings.concurrency || before.queueSize !== settings.queueSize) {
      runtime.pool.limits = settings;
    }
    if ((wasPaused && !runtime.isPaused) || before.pollIntervalMs !== settings.pollIntervalMs) runtime.poller.poke();
  }
}
