import type { Database } from "../../db/client.ts";
import { migrationState } from "../../db/migrate/migration-state.ts";
import { assertServerUsable } from "../../db/server-info.ts";
import { RedriveError } from "./errors.ts";

/** Room for everything of the largest insert that is not payload. */
const STATEMENT_BYTES_MAX = 1_048_576;

/**
 * Refuses a database that the promises cannot be kept on: server too old or set wrongly, schema missing or old.
 * @throws RedriveError DATABASE_UNUSABLE with every problem and its way out; errors of the connection as they are.
 */
export async function assertDatabaseUsable(database: Database, payloadBytesMax: number): Promise<void> {
  const { maxAllowedPacketBytes } = await assertServerUsable(database).catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== "ServerUnusableError") throw error;
    throw new RedriveError("DATABASE_UNUSABLE", error.message, { cause: error });
  });
  // Quoting may double a payload. Past the packet limit the server ends the caller's connection, and its transaction.
  const packetBytes = 2 * payloadBytesMax + STATEMENT_BYTES_MAX;
  if (maxAllowedPacketBytes < packetBytes) {
    throw new RedriveError(
      "DATABASE_UNUSABLE",
      `max_allowed_packet is ${maxAllowedPacketBytes} bytes, too small for payloads of ${payloadBytesMax} bytes (payloadBytesMax); set it to ${packetBytes} or more, or lower payloadBytesMax`,
    );
  }
  const { applied, expected } = await database.use((session) => migrationState(session));
  // A newer schema is fine: migrations only add, so that old processes can restart in the middle of a deploy.
  if (applied >= expected) return;
  throw new RedriveError(
    "DATABASE_UNUSABLE",
    `the database's schema is at version ${applied < 0 ? "none" : applied}, this code needs ${expected}; run: npm run redrive -- migrate`,
  );
}
