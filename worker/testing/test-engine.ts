import type { PoolConnection } from "mysql2/promise";
import { type TaskRow, readTaskRow } from "../../db/testing/task-rows.ts";
import type { TestDatabase } from "../../db/testing/test-database.ts";
import {
  createEngine,
  type Engine,
  type EngineEventMap,
  type EngineEventName,
  type EngineOptions,
  type EnqueueTask,
  type EnqueueVerdict,
  type Handler,
} from "../engine/index.ts";
import { waitFor } from "./wait-for.ts";

type Overrides = Partial<Omit<EngineOptions, "database" | "handlers">>;

/** One thing the engine reported, in order. */
export type Reported = {
  readonly [Name in EngineEventName]: { readonly name: Name } & EngineEventMap[Name];
}[EngineEventName];

export const EVENT_NAMES = [
  "enqueued",
  "rejected",
  "claimed",
  "started",
  "succeeded",
  "rescheduled",
  "failed",
  "snoozed",
  "cancelled",
  "released",
  "recycled",
  "stale",
  "loopError",
  "outage",
  "recovered",
] as const satisfies readonly EngineEventName[];

/** An engine over a test database's pool that keeps everything it reported. */
export class TestEngine {
  readonly engine: Engine<PoolConnection>;
  readonly reported: Reported[] = [];
  readonly #database: TestDatabase;

  constructor(database: TestDatabase, handlers: readonly Handler[], overrides: Overrides = {}) {
    this.#database = database;
    this.engine = createEngine({ zone: database.zone.name, ...overrides, database: database.pool, handlers });
    for (const name of EVENT_NAMES) this.engine.on(name, (event) => this.reported.push({ name, ...event } as Reported));
  }

  /** The reports of one name. */
  of<Name extends EngineEventName>(name: Name): Extract<Reported, { name: Name }>[] {
    return this.reported.filter((one): one is Extract<Reported, { name: Name }> => one.name === name);
  }

  /** Creates one task in a transaction of the service's pool and commits. */
  async enqueue(task: EnqueueTask): Promise<EnqueueVerdict> {
    return this.engine.transaction((tx) => this.engine.enqueue(tx, task));
  }

  async row(id: string): Promise<TaskRow | undefined> {
    return this.#database.database.use((session) => readTaskRow(session, id));
  }

  /** Waits until the task's row fulfils a condition. */
  async rowWhere(id: string, what: string, condition: (row: TaskRow) => boolean, timeoutMs?: number): Promise<TaskRow> {
    return waitFor(
      `task ${id} ${what}`,
      async () => {
        const row = await this.row(id);
        return row && condition(row) ? row : undefined;
      },
      timeoutMs,
    );
  }
}

/** Starts an engine; the caller stops it (`engine.stop()`) before the database is dropped. */
export async function startEngine(
  database: TestDatabase,
  handlers: readonly Handler[],
  overrides: Overrides = {},
): Promise<TestEngine> {
  const started = new TestEngine(database, handlers, overrides);
  await started.engine.start();
  return started;
}
