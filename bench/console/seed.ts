import type { TestDatabase } from "../../db/testing/test-database.ts";
import { makeArchiveDays, archivedTasks } from "./seed-archive.ts";
import { factOf, prepareChunks, seedPart } from "./seed-chunks.ts";
import { bulkTasks, liveAttempts, liveTasks } from "./seed-tasks.ts";

const DAY_MS = 86_400_000;

export interface SeedSize {
  /** Live tasks beside those of the bulk action. */
  readonly rows: number;
  readonly archived: number;
  /** Failed tasks that the bulk action resets. */
  readonly bulk: number;
}

export interface Seeded {
  readonly base: Date;
  /** The end of the archive's last day. */
  readonly archiveEnd: Date;
}

/**
 * Fills the database once: what was done by an earlier run, even one that was cut off, is not done again.
 * @throws Error if it was seeded with another number of tasks for the bulk action
 */
export async function seed(
  test: TestDatabase,
  size: SeedSize,
  options: { readonly loops: number; readonly say: (text: string) => void },
): Promise<Seeded> {
  await prepareChunks(test);
  const base = new Date(await factOf(test, "base", new Date().toISOString()));
  const bulk = await factOf(test, "bulk", String(size.bulk));
  if (bulk !== String(size.bulk)) throw new Error(`it was seeded with --bulk ${bulk}; seed it anew with --fresh`);
  const archiveEnd = new Date(Math.floor(base.getTime() / DAY_MS) * DAY_MS);
  await makeArchiveDays(test, archiveEnd);
  const at = test.zone.format(base);
  const parts = [
    liveTasks(size.rows, at),
    bulkTasks(size.bulk, size.rows, at),
    liveAttempts(size.rows, at),
    archivedTasks(size.archived, test.zone.format(archiveEnd)),
  ];
  for (const part of parts) {
    if (!(await seedPart(test, part, options))) continue;
    for (const table of TABLES[part.name] ?? []) await test.pool.query(`ANALYZE TABLE ${table}`);
  }
  return { base, archiveEnd };
}

const TABLES: Readonly<Record<string, readonly string[]>> = {
  bulk: ["t_retry_task"],
  attempts: ["t_retry_attempt"],
  archive: ["t_retry_task_archive", "t_retry_attempt_archive"],
};
