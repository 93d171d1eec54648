import { setTimeout as sleep } from "node:timers/promises";
import { isContention } from "../mysql-errors.ts";
import type { Session } from "../session.ts";

/** A DDL statement found its table in use each time; nothing of this statement was applied. */
export class DdlBlockedError extends Error {
  override readonly name = "DdlBlockedError";
  readonly code = "MIGRATION_BLOCKED";
}

/**
 * Runs one DDL statement. While it waits for its table, business statements queue behind it: so the session waits only a
 * short time (its `lock_wait_timeout`), and the statement is tried again after a pause in which they pass.
 * @param tries how often at most
 * @throws DdlBlockedError naming the statement when all tries found the table in use.
 */
export async function runDdl(session: Session, statement: string, tries: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await session.run(statement);
    } catch (error) {
      if (!isContention(error)) throw error;
      if (attempt >= tries) {
        throw new DdlBlockedError(
          `"${firstLine(statement)}" found its table in use ${tries} times; end the long transaction that holds it (information_schema.innodb_trx shows it) and migrate again, it resumes here`,
          { cause: error },
        );
      }
      await sleep(Math.min(200 * 2 ** (attempt - 1), 5_000) * (0.5 + Math.random() / 2));
    }
  }
}

/** The beginning of a statement, for messages. */
export function firstLine(statement: string): string {
  const [line = ""] = statement.split("\n");
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}
