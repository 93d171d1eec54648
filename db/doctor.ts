import type { Database } from "./client.ts";
import { checkAccountNames } from "./doctor-accounts.ts";
import { readOldestTransaction, readPurgeBacklog } from "./doctor-activity.ts";
import { checkPartitionPrivileges } from "./doctor-privileges.ts";
import { checkCollations, checkIndexes } from "./doctor-schema.ts";
import { checkServer } from "./doctor-server.ts";
import { migrationState } from "./migrate/migration-state.ts";
import { inspectServer } from "./server-info.ts";
import type { Session } from "./session.ts";

export interface DoctorCheck {
  /** Stable name, such as `binlog_format`. */
  readonly id: string;
  readonly level: "ok" | "warn" | "fail";
  /** What was found. */
  readonly finding: string;
  /** What to do; empty when the level is ok. */
  readonly advice: string;
}

export interface DoctorOptions {
  /** Largest payload that enqueue takes, in bytes. */
  readonly payloadBytesMax: number;
}

/**
 * Looks at server and schema for everything that is known to hurt. Reads only, and never throws for what it finds: a
 * check that cannot run is a warning of its own. Throws only if the database cannot be reached.
 */
export async function runDoctor(database: Database, options: DoctorOptions): Promise<DoctorCheck[]> {
  return database.use(async (session) => {
    const info = await inspectServer(session);
    return [
      ...checkServer(info, { zone: database.zone, payloadBytesMax: options.payloadBytesMax }),
      await checkMigrations(session),
      await guarded("key_collations", () => checkCollations(session, info.version.kind)),
      await guarded("indexes", () => checkIndexes(session, info.version.kind)),
      await guarded("archive_privileges", () => checkPartitionPrivileges(session)),
      await guarded("account_names", () => checkAccountNames(session)),
      await guarded("oldest_transaction", () => readOldestTransaction(session)),
      await guarded("purge_backlog", () => readPurgeBacklog(session, info.version.kind)),
    ];
  });
}

async function checkMigrations(session: Session): Promise<DoctorCheck> {
  const { applied, expected, upToDate, newer } = await migrationState(session);
  const finding = `schema version ${applied < 0 ? "none" : applied}, this program needs ${expected}`;
  if (upToDate) return { id: "migrations", level: "ok", finding, advice: "" };
  const advice = newer ? "deploy a program that knows this schema" : "run: redrive migrate";
  return { id: "migrations", level: "fail", finding, advice };
}

const ACCESS_DENIED: ReadonlySet<number> = new Set([1044, 1142, 1143, 1227]);

async function guarded(id: string, check: () => Promise<DoctorCheck>): Promise<DoctorCheck> {
  try {
    return await check();
  } catch (error) {
    const { errno, message } = error as { errno?: number; message?: string };
    if (errno === undefined) throw error;
    const advice = ACCESS_DENIED.has(errno)
      ? "GRANT PROCESS ON *.* to this user if you want this check"
      : "see the server's error";
    return { id, level: "warn", finding: `could not be checked: ${message ?? errno}`, advice };
  }
}
