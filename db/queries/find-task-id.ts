import { sql, type SQL } from "drizzle-orm";
import { statusFromCode, type TaskStatus } from "../schema/task-status.ts";
import { task } from "../schema/task.ts";
import { idList, type Session } from "../session.ts";
import { literalText, textLiteral } from "../text-literal.ts";

export interface TaskKey {
  readonly eventType: string;
  readonly bizKey: string;
}

export interface KeyedTask extends TaskKey {
  readonly id: string;
  readonly status: TaskStatus | undefined;
}

/**
 * The live tasks of these keys as the session's transaction sees them, its own included, through `uk_event_biz`. A plain
 * read: under REPEATABLE READ it may miss what was committed after the transaction's first read, and it locks nothing.
 */
export async function findTaskIds(session: Session, keys: readonly TaskKey[]): Promise<KeyedTask[]> {
  if (keys.length === 0) return [];
  return readKeys(session, keys, sql``);
}

/**
 * The newest committed live task of a key that has just raised 1062, whatever the transaction's snapshot shows. Takes a
 * shared lock on that row, which the duplicate check holds anyway; for a key that does not exist it would lock a gap.
 */
export async function findNewestTask(session: Session, key: TaskKey): Promise<KeyedTask | undefined> {
  const [row] = await readKeys(session, [key], sql`LOCK IN SHARE MODE`);
  return row;
}

/** Keys of one read: as many as one insert has rows. */
const KEYS_MAX = 500;

async function readKeys(session: Session, keys: readonly TaskKey[], lock: SQL): Promise<KeyedTask[]> {
  const found: KeyedTask[] = [];
  for (let start = 0; start < keys.length; start += KEYS_MAX) {
    found.push(...(await readSomeKeys(session, keys.slice(start, start + KEYS_MAX), lock)));
  }
  return found;
}

async function readSomeKeys(session: Session, keys: readonly TaskKey[], lock: SQL): Promise<KeyedTask[]> {
  // Lists of one column per type: of pairs, servers scan the whole index once there are many.
  const keysByType = new Map<string, string[]>();
  for (const { eventType, bizKey } of keys) {
    const ofType = keysByType.get(eventType);
    if (ofType) ofType.push(literalText(bizKey));
    else keysByType.set(eventType, [literalText(bizKey)]);
  }
  const wanted = [...keysByType]
    .map(([eventType, ofType]) => `(t.event_type = ${literalText(eventType)} AND t.biz_key IN (${ofType.join(",")}))`)
    .join(" OR ");
  // As hex, so that a caller's session of another character set cannot change the texts on their way.
  const rows = await session.rows<{ id: string; event_type: string; biz_key: string; status: number }>(
    sql`SELECT CAST(t.id AS CHAR) AS id, HEX(t.event_type) AS event_type, HEX(t.biz_key) AS biz_key, t.status
      FROM ${task} AS t FORCE INDEX (uk_event_biz) WHERE ${sql.raw(wanted)} ${lock}`,
  );
  return rows.map((row) => ({
    id: String(row.id),
    eventType: Buffer.from(row.event_type, "hex").toString("utf8"),
    bizKey: Buffer.from(row.biz_key, "hex").toString("utf8"),
    status: statusFromCode(row.status),
  }));
}

/**
 * The ids of rows that one INSERT of this session has just created, in the order of their values: they rise by the
 * server's step from the first one, and the last one is where that puts it, so that none can lie elsewhere. Undefined if
 * it is not: a server that gives out ids otherwise, or a first id that has lost digits.
 */
export async function insertedIds(
  session: Session,
  firstId: string,
  keys: readonly TaskKey[],
): Promise<string[] | undefined> {
  const last = keys.at(-1);
  if (!last) return [];
  const rows = await session.rows<{ id: string; step: string | number }>(
    sql`SELECT CAST(id AS CHAR) AS id, @@auto_increment_increment AS step FROM ${task} FORCE INDEX (uk_event_biz)
      WHERE biz_key = ${textLiteral(last.bizKey)} AND event_type = ${textLiteral(last.eventType)}`,
  );
  const step = BigInt(rows[0]?.step ?? 1);
  let id = BigInt(firstId) - step;
  const ids = keys.map(() => String((id += step)));
  return ids.at(-1) === String(rows[0]?.id) ? ids : undefined;
}

/** The event type of each of these tasks, by primary key; ids that are not live are missing. */
export async function readTaskTypes(session: Session, ids: readonly string[]): Promise<Map<string, string>> {
  const types = new Map<string, string>();
  for (let start = 0; start < ids.length; start += 200) {
    const rows = await session.rows<{ id: string; event_type: string }>(
      sql`SELECT CAST(id AS CHAR) AS id, event_type FROM ${task} FORCE INDEX (PRIMARY)
        WHERE id IN (${idList(ids.slice(start, start + 200))})`,
    );
    for (const row of rows) types.set(row.id, row.event_type);
  }
  return types;
}
