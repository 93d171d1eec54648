import type { Database } from "../../db/client.ts";
import { migrationState } from "../../db/migrate/migration-state.ts";
import { assertServerUsable } from "../../db/server-info.ts";
import { RedriveError } from "./errors.ts";

/**
 * Refuses a database that the promises cannot be kept on: server too old or set wrongly, schema missing or old.
 * @throws RedriveError DATABASE_UNUSABLE with every problem and its way out; errors of the connection as they are.
 */
export async function assertDatabaseUsable(database: Database): Promise<void> {
  await assertServerUsable(database).catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== "ServerUnusableError") throw error;
    throw new RedriveError("DATABASE_UNUSABLE", error.message, { cause: error });
  });
  const { applied, expected } = await database.use((session) => migrationState(session));
  // A newer schema is fine: migrations only add, so that old processes can restart in the middle of a deploy.
  if (applied >= expected) return;
  throw new RedriveError(
    "DATABASE_UNUSABLE",
    `the database's schema is at version ${applied < 0 ? "none" : applied}, this code needs ${expected}; run: npm run redrive -- migrate`,
  );
}
