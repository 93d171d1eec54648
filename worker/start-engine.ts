import type { Database } from "../db/client.ts";
import { migrationState } from "../db/migrate/migration-state.ts";
import { isOutage } from "../db/mysql-errors.ts";
import { inspectServer, serverProblems } from "../db/server-info.ts";
import type { Clock } from "./engine/clock.ts";
import type { Engine, Logger } from "./engine/index.ts";
import { LineLimiter } from "./line-limiter.ts";

const WAIT_MS_MIN = 500;
const WAIT_MS_MAX = 10_000;
/** The same obstacle is logged once in this time. */
const REPEAT_LINE_MS = 60_000;

/** The engine can never start like this; the message says why and what to do. */
export class StartRefusedError extends Error {
  override readonly name = "StartRefusedError";
}

/**
 * Starts the engine, and waits as long as need be for what passes by itself or by somebody's hand: the database is away
 * or read-only, the schema is not migrated yet. Returns false if `signal` aborted first.
 * @throws StartRefusedError for what waiting does not mend: server too old or wrongly set, access denied, no such database.
 */
export async function startWhenPossible(parts: {
  readonly engine: Pick<Engine, "start">;
  readonly database: Pick<Database, "use">;
  readonly log: Logger;
  readonly clock: Pick<Clock, "monotonicMs" | "sleep">;
  readonly signal: AbortSignal;
}): Promise<boolean> {
  const { engine, database, log, clock, signal } = parts;
  const limiter = new LineLimiter(clock);
  for (let tries = 0; !signal.aborted; tries++) {
    const obstacle = await tryStart(engine, database);
    if (obstacle === undefined) return true;
    if (limiter.admit(obstacle, { linesMax: 1, windowMs: REPEAT_LINE_MS }) !== undefined) {
      log.warn({ obstacle }, "not started yet; trying again until it works");
    }
    await clock.sleep(Math.min(WAIT_MS_MAX, WAIT_MS_MIN * 2 ** Math.min(tries, 10)), signal);
  }
  return false;
}

/** Undefined: started. Else the obstacle that may go away. */
async function tryStart(engine: Pick<Engine, "start">, database: Pick<Database, "use">): Promise<string | undefined> {
  try {
    const obstacle = await findObstacle(database);
    if (obstacle === undefined) await engine.start();
    return obstacle;
  } catch (error) {
    if (error instanceof StartRefusedError) throw error;
    const { message, code } = error as { message?: string; code?: string };
    const detail = message || (code ?? String(error));
    if (isOutage(error)) return `the database is not available: ${detail}`;
    throw new StartRefusedError(`the engine cannot start: ${detail}`, { cause: error });
  }
}

async function findObstacle(database: Pick<Database, "use">): Promise<string | undefined> {
  const { problems, migrations } = await database.use(async (session) => ({
    problems: serverProblems(await inspectServer(session)),
    migrations: await migrationState(session),
  }));
  const permanent = problems.filter((problem) => problem.id !== "read_only");
  if (permanent.length > 0) throw new StartRefusedError(permanent.map((problem) => problem.message).join("; "));
  if (problems.length > 0) return problems.map((problem) => problem.message).join("; ");
  const { applied, expected } = migrations;
  if (applied >= expected) return undefined;
  return `the schema is at version ${applied < 0 ? "none" : applied}, this program needs ${expected}; run: redrive migrate`;
}
