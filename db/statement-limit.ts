import type { Session } from "./session.ts";

/**
 * Runs `work` with a limit that the server itself sets to each SELECT, so that a statement which takes too long ends
 * there too and not only for the one who waits. Each server reads the part of the statement that is meant for it.
 */
export async function withStatementLimit<Result>(
  session: Session,
  limitMs: number,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  await setLimit(session, limitMs);
  try {
    return await work(session);
  } finally {
    // Fails only on a connection that is lost, whose error has ended it already.
    await setLimit(session, 0).catch(() => undefined);
  }
}

async function setLimit(session: Session, ms: number): Promise<void> {
  await session.run(
    `SET @redrive_limit_ms = ${Math.trunc(ms)} /*!80000 , SESSION max_execution_time = ${Math.trunc(ms)} */ /*M!100100 , SESSION max_statement_time = ${ms / 1_000} */`,
  );
}
