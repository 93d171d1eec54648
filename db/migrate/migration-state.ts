import { sql } from "drizzle-orm";
import type { Session } from "../session.ts";
import { knownMigrations } from "./migration-files.ts";

export interface MigrationState {
  /** Version that the schema has completely; -1 before the first installation. */
  readonly applied: number;
  /** Version that this program needs. */
  readonly expected: number;
  readonly upToDate: boolean;
  /** The schema knows a version that this program does not. */
  readonly newer: boolean;
}

const NO_SUCH_TABLE = 1146;

/** Where the schema stands compared with this program. One small read: fit for every readiness check. */
export async function migrationState(session: Session): Promise<MigrationState> {
  const expected = (await knownMigrations()).at(-1)?.version ?? -1;
  const { applied, newest } = await readVersions(session);
  return { applied, expected, upToDate: applied === expected && newest === expected, newer: newest > expected };
}

async function readVersions(session: Session): Promise<{ applied: number; newest: number }> {
  try {
    const [row] = await session.rows<{ applied: number | string | null; newest: number | string | null }>(
      sql`SELECT MAX(CASE WHEN state = 'done' THEN version END) AS applied, MAX(version) AS newest FROM t_retry_migration`,
    );
    return { applied: Number(row?.applied ?? -1), newest: Number(row?.newest ?? -1) };
  } catch (error) {
    if ((error as { errno?: number }).errno === NO_SUCH_TABLE) return { applied: -1, newest: -1 };
    throw error;
  }
}
