import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll } from "vitest";
import { insertTaskRow, readTaskRow, type TaskRow, type TaskRowValues } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from "../../db/testing/test-database.ts";
import {
  type AttemptContext,
  defineHandler,
  type EngineOptions,
  type Handler,
  type HandlerOptions,
  type HandlerResult,
  type Task,
} from "../engine/index.ts";
import { startEngine, type TestEngine } from "./test-engine.ts";

type Overrides = Partial<Omit<EngineOptions, "database" | "handlers">>;

/** One database for a test file, and engines that are stopped after each test. */
export class Scenario {
  readonly #engines: TestEngine[] = [];
  #database: TestDatabase | undefined;

  /** Registers the hooks of the file; call it at the top. */
  constructor(options: TestDatabaseOptions = {}) {
    beforeAll(async () => {
      this.#database = await createTestDatabase(options);
    });
    afterEach(() => this.stopEngines());
    afterAll(() => this.#database?.drop());
  }

  get database(): TestDatabase {
    if (!this.#database) throw new Error("the database exists only inside tests");
    return this.#database;
  }

  async start(handlers: readonly Handler[], overrides: Overrides = {}): Promise<TestEngine> {
    const engine = await startEngine(this.database, handlers, overrides);
    this.#engines.push(engine);
    return engine;
  }

  async stopEngines(): Promise<void> {
    await Promise.all(this.#engines.splice(0).map(({ engine }) => engine.stop({ graceMs: 2_000 })));
  }

  /** Inserts rows as they are, without an engine. */
  async insert(...rows: readonly TaskRowValues[]): Promise<string[]> {
    return this.database.database.use(async (session) => {
      const ids: string[] = [];
      for (const row of rows) ids.push(await insertTaskRow(session, row));
      return ids;
    });
  }

  async row(id: string): Promise<TaskRow | undefined> {
    return this.database.database.use((session) => readTaskRow(session, id));
  }

  /** Runs a statement of the test on the service's pool. */
  async rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const [rows] = await this.database.pool.query(text, [...values]);
    return rows as Row[];
  }

  /** How many tasks of a type are in each status. */
  async statuses(eventType: string): Promise<Record<string, number>> {
    const rows = await this.rows<{ status: number; amount: number }>(
      "SELECT status, COUNT(*) AS amount FROM t_retry_task WHERE event_type = ? GROUP BY status",
      [eventType],
    );
    const names = ["pending", "succeeded", "failed", "running", "cancelled"];
    return Object.fromEntries(rows.map(({ status, amount }) => [names[status] ?? "unknown", Number(amount)]));
  }

  /** Entries in the history of a task, oldest first. */
  async history(taskId: string): Promise<{ kind: string; retry_count: number; detail: string | null }[]> {
    return this.rows("SELECT kind, retry_count, detail FROM t_retry_attempt WHERE task_id = ? ORDER BY id", [
      BigInt(taskId),
    ]);
  }

  /** The database's present instant. */
  async now(): Promise<Date> {
    return this.database.database.use(async (session) => {
      const [row] = await session.rows<{ now: string }>(sql`SELECT CAST(UTC_TIMESTAMP(3) AS CHAR) AS now`);
      return new Date(`${String(row?.now).replace(" ", "T")}Z`);
    });
  }
}

/** A handler that keeps each of its calls. */
export class CallLog {
  readonly calls: Task[] = [];
  /** Ids that were run twice at the same moment. */
  readonly overlapping: string[] = [];
  readonly #running = new Set<string>();

  handler(
    options: Omit<HandlerOptions, "handle">,
    body: (task: Task, ctx: AttemptContext) => Promise<HandlerResult> | HandlerResult = () => undefined,
  ): Handler {
    return defineHandler({
      ...options,
      handle: async (task, ctx) => {
        this.calls.push(task);
        if (this.#running.has(task.id)) this.overlapping.push(task.id);
        this.#running.add(task.id);
        try {
          return await body(task, ctx);
        } finally {
          this.#running.delete(task.id);
        }
      },
    });
  }

  get keys(): string[] {
    return this.calls.map(({ bizKey }) => bizKey);
  }

  count(bizKey: string): number {
    return this.calls.filter((call) => call.bizKey === bizKey).length;
  }
}
