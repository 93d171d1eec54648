import { type APIRequestContext, test as base, type BrowserContext, expect, type Page } from "@playwright/test";
import { type ArchivedRowValues, insertArchivedRow } from "../../db/testing/archived-rows.ts";
import { insertTaskRow, readTaskRow, type TaskRow, type TaskRowValues } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { restoreSession, type Role, signedInState, type SignedInState, signInDirectly } from "./accounts.ts";
import { startConsole } from "./console-process.ts";
import { DatabaseGate } from "./database-gate.ts";

/** An entry of a task's history. */
interface Attempt {
  readonly kind: string;
  readonly actor: string | null;
  readonly detail: string | null;
}

/** The database behind the console, as a test prepares and checks it. */
export interface Store {
  insert(values?: TaskRowValues): Promise<string>;
  archive(row: ArchivedRowValues): Promise<void>;
  read(id: string): Promise<TaskRow>;
  /** Makes a task running, as a worker's claim would. */
  claim(id: string): Promise<void>;
  attempts(id: string): Promise<Attempt[]>;
  registerType(name: string): Promise<void>;
  registerWorker(owner: string): Promise<void>;
  stopWorker(owner: string): Promise<void>;
  run(statement: string, values?: readonly string[]): Promise<void>;
  /** Rows of a statement that only reads. */
  rows(statement: string, values?: readonly string[]): Promise<Record<string, unknown>[]>;
  /** A number for what each table holds, to see that nothing was changed; but for the audit and the use of sessions. */
  checksums(): Promise<Readonly<Record<string, string>>>;
  /** An instant as the tables store it. */
  stored(instant: Date): string;
  /** The expression for the present instant as the tables store it. */
  readonly clock: string;
  /** Lets nobody read the task table until the function that it gives is called. */
  lockTasks(): Promise<() => Promise<void>>;
}

interface World {
  readonly baseUrl: string;
  /** What a console needs to find the database of the tests. */
  readonly environment: Readonly<Record<string, string>>;
  readonly store: Store;
  readonly gate: DatabaseGate;
  /** The admin as whom `page` and `request` are signed in. */
  readonly admin: SignedInState;
  /** Makes an account and signs it in; it is gone when the test ends. */
  signIn(role: Role, scopes?: readonly string[]): Promise<SignedInState>;
  /** Signs the admin in again, by the same token, after a test that ended its session. */
  signInAgain(): Promise<void>;
  clear(): Promise<void>;
}

/** An API client of one account. */
export interface Client {
  readonly request: APIRequestContext;
  readonly id: string;
  readonly name: string;
}

/** A browser and an API client of one account. */
export interface As extends Client {
  readonly page: Page;
}

/** Without those of accounts and sessions: the console stays signed in from test to test. */
const CLEARED_TABLES = [
  ...["task", "attempt", "event_type", "worker", "metric", "task_archive", "attempt_archive"],
  ...[
    "audit",
    "bulk",
    "bulk_item",
    "bulk_replay",
    "idempotency",
    "saved_view",
    "api_token",
    "sign_in_link",
    "sign_in_count",
    "oidc_flow",
  ],
];

/** As the audit and the history name the admin of the tests. */
export const ADMIN = "console";

/** Signs an account of that role in; without a role: nobody. */
export type SignInAs<Signed = As> = (role?: Role, scopes?: readonly string[]) => Promise<Signed>;

interface Fixtures {
  store: Store;
  gate: DatabaseGate;
  problems: string[];
  /** A browser and an API client of another account: `as("operator", ["PAY_ORDER"])`; without a role: of nobody. */
  as: SignInAs;
  /** The same without a browser, which takes longer to come than many requests to be answered. */
  client: SignInAs<Client>;
}

/**
 * One database and one console for all tests of a worker; each test begins with empty tables and one live worker, and
 * with `page` and `request` signed in as an admin.
 */
export const test = base.extend<Fixtures, { world: World }>({
  world: [
    // The runner reads the needed fixtures from this pattern: none.
    async ({}, use) => {
      const database = await createTestDatabase();
      const { host = "127.0.0.1", port = 3306 } = database.connection;
      const gate = new DatabaseGate(host, port);
      await gate.open();
      const address = new URL(database.url);
      address.hostname = "127.0.0.1";
      address.port = String(gate.port);
      const environment = { DATABASE_URL: address.toString(), REDRIVE_ZONE: database.zone.name };
      const admin = await signInDirectly(database, { name: ADMIN, role: "admin" });
      const server = await startConsole(environment).catch(async (error: unknown) => {
        await gate.close();
        await database.drop();
        throw error;
      });
      const store = storeOf(database);
      const clear = async () => {
        await gate.open();
        for (const table of CLEARED_TABLES) await store.run(`DELETE FROM t_retry_${table}`);
        await store.run("DELETE FROM t_retry_account WHERE name <> ?", [ADMIN]);
        await store.run("DELETE FROM t_retry_session WHERE account_id NOT IN (SELECT id FROM t_retry_account)");
        // A worker's tests take longer than a proof lasts.
        await store.run(`UPDATE t_retry_session SET confirmed_time = ${store.clock}`);
        await store.registerWorker("w-1");
        // What the console has read for the test before is not for this one.
        await fetch(`${server.baseUrl}/api/v1/me`, {
          headers: { cookie: `redrive_session=${admin.token}`, "x-refresh": "now" },
        });
      };
      let others = 0;
      const signIn = (role: Role, scopes?: readonly string[]) =>
        signInDirectly(database, { name: `${role}-${++others}`, role, scopes });
      const signInAgain = () => restoreSession(database, admin);
      await use({ baseUrl: server.baseUrl, environment, store, gate, admin, signIn, signInAgain, clear });
      await server.stop();
      await gate.close();
      await database.drop();
    },
    { scope: "worker", timeout: 240_000 },
  ],
  baseURL: async ({ world }, use) => {
    await world.clear();
    await use(world.baseUrl);
  },
  storageState: async ({ world }, use) => use(signedInState(world.admin)),
  as: async ({ client, baseURL, browser }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (role, scopes) => {
      const one = await client(role, scopes);
      const context = await browser.newContext({ baseURL, storageState: await one.request.storageState() });
      contexts.push(context);
      return { ...one, page: await context.newPage() };
    });
    await Promise.all(contexts.map((context) => context.close()));
  },
  client: async ({ world, baseURL, playwright }, use) => {
    const open: APIRequestContext[] = [];
    await use(async (role, scopes) => {
      const state = role && (await world.signIn(role, scopes));
      const request = await playwright.request.newContext({ baseURL, storageState: signedInState(state) });
      open.push(request);
      return { request, id: state?.id ?? "", name: state?.name ?? "" };
    });
    await Promise.all(open.map((request) => request.dispose()));
  },
  store: async ({ world, baseURL: _ }, use) => use(world.store),
  gate: async ({ world }, use) => use(world.gate),
  /** Whatever the browser complains of: refused scripts, script errors, dialogs. A test that expects none checks it. */
  problems: async ({ page }, use) => {
    const problems: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("dialog", (dialog) => {
      problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await use(problems);
  },
});

export { expect };

function storeOf({ database, pool }: TestDatabase): Store {
  const clock = `TIMESTAMPADD(MINUTE, ${database.zone.offsetMinutes}, UTC_TIMESTAMP(3))`;
  const run = async (statement: string, values: readonly string[] = []) => {
    await pool.query(statement, [...values]);
  };
  const rows = async (statement: string, values: readonly string[] = []) => {
    const [found] = await pool.query(statement, [...values]);
    return found as Record<string, unknown>[];
  };
  return {
    run,
    rows,
    checksums: async () => {
      const tables = (await rows("SHOW TABLES LIKE 't\\_retry\\_%'")).map((row) => String(Object.values(row)[0]));
      const judged = tables.filter((table) => !/_(audit|session|sign_in_count|worker)$/.test(table));
      const sums = await rows(`CHECKSUM TABLE ${judged.join(", ")}`);
      const [sessions] = await rows("SELECT COUNT(*) AS count FROM t_retry_session");
      return Object.fromEntries([
        ...sums.map((row) => [String(row["Table"]), String(row["Checksum"])]),
        ["signed in", String(sessions?.["count"])],
      ]) as Record<string, string>;
    },
    stored: (instant) => database.zone.format(instant),
    clock,
    lockTasks: async () => {
      const connection = await pool.getConnection();
      await connection.query("LOCK TABLES t_retry_task WRITE");
      return async () => {
        await connection.query("UNLOCK TABLES");
        connection.release();
      };
    },
    insert: (values) => database.use((session) => insertTaskRow(session, values)),
    archive: (row) => database.use((session) => insertArchivedRow(session, row)),
    read: async (id) => {
      const row = await database.use((session) => readTaskRow(session, id));
      if (!row) throw new Error(`task ${id} is not in the table`);
      return row;
    },
    claim: (id) => run("UPDATE t_retry_task SET status = 3, owner = 'w-1', claim_no = claim_no + 1 WHERE id = ?", [id]),
    attempts: async (id) => {
      const [rows] = await pool.query("SELECT kind, actor, detail FROM t_retry_attempt WHERE task_id = ?", [id]);
      return rows as Attempt[];
    },
    registerType: (name) =>
      run(
        `INSERT INTO t_retry_event_type (event_type, code_settings, create_time, update_time)
          VALUES (?, '{}', ${clock}, ${clock})`,
        [name],
      ),
    registerWorker: (owner) =>
      run(
        `INSERT INTO t_retry_worker (owner, host, pid, version, state, dead_after_ms, event_types, pools, started_time, beat_time)
          VALUES (?, 'test', 1, '0.1.0', 'running', 86400000, '[]', '{}', ${clock}, ${clock})`,
        [owner],
      ),
    stopWorker: (owner) => run("UPDATE t_retry_worker SET state = 'stopped' WHERE owner = ?", [owner]),
  };
}
