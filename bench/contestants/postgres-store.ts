import { randomBytes } from "node:crypto";
import type { Entry } from "../contestant.ts";
import { LeftOut } from "../contestant.ts";
import { loadPeer } from "../peers/load.ts";

export interface PgClient {
  connect(): Promise<void>;
  query(text: string): Promise<{ readonly rows: readonly Record<string, string>[] }>;
  end(): Promise<void>;
}

/** A pool that outlives the peer that uses it: a peer may let go of its connections later than it says. */
export interface PgPool {
  on(event: "error", listener: () => void): void;
  on(event: "connect", listener: (client: { on(event: "error", listener: () => void): void }) => void): void;
  end(): Promise<void>;
}

interface PgModule {
  readonly default: {
    readonly Client: new (options: { readonly connectionString: string }) => PgClient;
    readonly Pool: new (options: { readonly connectionString: string; readonly max: number }) => PgPool;
  };
}

const SHOWN = ["server_version", "fsync", "synchronous_commit", "full_page_writes", "shared_buffers"];

/** What a peer on PostgreSQL adds to a new database. */
export interface PostgresStore {
  setUp(url: string): Promise<void>;
  preload(url: string, from: number, count: number): Promise<void>;
  /** A statement that answers the number of jobs that have not ended, as `count`. */
  readonly countOpen: string;
  readonly table: string;
}

/** A new database of the bench's own PostgreSQL. Growth is not measured there, so nobody makes finished rows. */
export async function enterPostgres(server: string | undefined, store: PostgresStore): Promise<Entry> {
  if (server === undefined) throw new LeftOut("PostgreSQL is not here");
  const name = `bench_${process.pid}_${randomBytes(4).toString("hex")}`;
  const admin = await connectTo(`${server}/postgres`);
  await admin.query(`CREATE DATABASE ${name}`);
  const url = `${server}/${name}`;
  const client = await connectTo(url);
  const leave = async (): Promise<void> => {
    await client.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  };
  try {
    await store.setUp(url);
    return {
      url,
      conditions: await conditionsOf(client),
      preload: async (from, count) => {
        await store.preload(url, from, count);
        await client.query(`ANALYZE ${store.table}`);
      },
      fillFinished: () => Promise.reject(new Error("finished rows are made on MySQL and MariaDB only")),
      remaining: async () => Number((await client.query(store.countOpen)).rows[0]?.["count"]),
      leave,
    };
  } catch (error) {
    await leave();
    throw error;
  }
}

export async function poolOf(connectionString: string, max: number): Promise<PgPool> {
  const pg = await loadPeer<PgModule>("pg");
  const pool = new pg.default.Pool({ connectionString, max });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

async function connectTo(connectionString: string): Promise<PgClient> {
  const pg = await loadPeer<PgModule>("pg");
  const client = new pg.default.Client({ connectionString });
  await client.connect();
  return client;
}

async function conditionsOf(client: PgClient): Promise<Record<string, unknown>> {
  const shown: Record<string, unknown> = { server: "postgres" };
  for (const name of SHOWN) shown[name] = (await client.query(`SHOW ${name}`)).rows[0]?.[name];
  return shown;
}
