import { sql } from "drizzle-orm";
import { task } from "../schema/task.ts";
import { idLiteral, type Session } from "../session.ts";

/** Ids from one on and below another. */
export interface IdRange {
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. */
  readonly before: string;
}

/** Above every id. */
export const ID_END = "9223372036854775807";

/**
 * The id from which on tasks were created at an instant or later, found by halving: no index holds the time of creation,
 * but ids are given in its order. Reads one row at most 64 times, whatever the table holds. Where ids are not in the
 * order of time (rows with ids or times of somebody's own making) it is one of the places where the times pass `at`.
 */
export async function firstIdSince(session: Session, at: Date): Promise<string> {
  const since = session.zone.format(at);
  let low = 0n;
  let high = BigInt(ID_END);
  while (low < high) {
    const middle = low + (high - low) / 2n;
    const row = await rowFrom(session, middle.toString());
    // No task from the middle on, or one that is late enough: the place is not behind the middle.
    if (row === undefined || row.createTime >= since) high = middle;
    else low = BigInt(row.id) + 1n;
  }
  return low.toString();
}

async function rowFrom(
  session: Session,
  id: string,
): Promise<{ readonly id: string; readonly createTime: string } | undefined> {
  const [row] = await session.rows<{ id: string; create_time: string }>(
    sql`SELECT CAST(id AS CHAR) AS id, create_time FROM ${task} FORCE INDEX (PRIMARY) WHERE id >= ${idLiteral(id)}
      ORDER BY ${task.id} LIMIT 1`,
  );
  return row && { id: String(row.id), createTime: String(row.create_time) };
}
