import "server-only";
import { Database } from "../../db/client.ts";
import { consoleEnv } from "./env.ts";

/** The development server reloads modules; the pool must survive that, or each reload would leave one behind. */
const shared = globalThis as typeof globalThis & { redriveConsoleDatabase?: Database };

/**
 * The one pool of this process. Small and impatient, so that a page can neither take connections from the workers nor
 * hang while the database is away.
 */
export function consoleDatabase(): Database {
  shared.redriveConsoleDatabase ??= new Database({
    connection: { connectTimeout: 3_000, ...consoleEnv().connection },
    zone: consoleEnv().zone,
    connectionLimit: 6,
    acquireTimeoutMs: 4_000,
    statementTimeoutMs: 5_000,
  });
  return shared.redriveConsoleDatabase;
}
