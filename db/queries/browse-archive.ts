import { sql, type SQL } from "drizzle-orm";
import { STATUS_CODE, type TaskStatus } from "../schema/task-status.ts";
import { taskArchive } from "../schema/task-archive.ts";
import { idLiteral, type Session } from "../session.ts";
import { archivedSummary, type ArchivedSummary, summaryColumns, type SummaryRow } from "./archived-summary.ts";
import { PAGE_COUNT_MAX } from "./count-tasks.ts";

/**
 * What is looked for in the archive. The first of `id`, `bizKey`, `errorFingerprint` and `eventTypes` that is given
 * chooses the index; the others are compared with the rows found there.
 */
export interface ArchiveFilter {
  /** Archived at or after; partitions before it are not looked at. */
  readonly from?: Date | undefined;
  /** Archived before. */
  readonly to?: Date | undefined;
  /** Of one of these types; left out: of any. */
  readonly eventTypes?: readonly string[] | undefined;
  readonly status?: TaskStatus | undefined;
  readonly errorFingerprint?: string | undefined;
  readonly bizKey?: string | undefined;
  readonly id?: string | undefined;
}

/** A place between two rows, and to which side of it the page lies. */
export interface ArchiveCursor {
  readonly direction: "older" | "newer";
  readonly archivedTime: string;
  readonly id: string;
}

export interface ArchivePage {
  /** Newest first. */
  readonly items: ArchivedSummary[];
  /** Undefined if nothing older is left. With a filter that no index serves a page may be short, even empty, and go on. */
  readonly older: ArchiveCursor | undefined;
  readonly newer: ArchiveCursor | undefined;
}

/** Rows that a page looks at to find those that a filter keeps, so that a rare one costs no more than a frequent one. */
export const LOOKED_AT_MAX = 5_000;
const LANES_PER_STATEMENT = 50;
const TYPES_MAX = 500;
const DAY_MS = 86_400_000;

/** One index range; all lanes of a filter together hold every row that it can match. */
interface Lane {
  readonly index: string;
  readonly equals: SQL;
  /** False: a handful of rows that come in another order than that of time, and are read whole. */
  readonly isByTime: boolean;
}

interface WalkedRow {
  readonly lane: number;
  readonly id: string;
  readonly at: string;
  readonly status: number;
  readonly event_type: string;
  readonly error_fingerprint: string | null;
  readonly biz_key: string;
}

/**
 * One page of archived tasks, newest first with the id as tiebreak. Walks along one index, one range per event type, and
 * reads whole rows only for the page itself; rows neither repeat nor vanish over pages in either direction. Limit 1 to 500.
 */
export async function browseArchive(
  session: Session,
  params: { readonly filter: ArchiveFilter; readonly limit: number; readonly cursor?: ArchiveCursor | undefined },
): Promise<ArchivePage> {
  const { filter, cursor } = params;
  const limit = Math.max(1, Math.min(500, Math.trunc(params.limit)));
  const direction = cursor?.direction ?? "older";
  const lanes = await lanesOf(session, filter);
  const perLane = hasRest(filter)
    ? Math.max(limit + 1, Math.floor(LOOKED_AT_MAX / Math.max(1, lanes.length)))
    : limit + 1;
  const walked = await walk(session, filter, lanes, { cursor, perLane });
  const inOrder = (one: Place, other: Place) =>
    direction === "older" ? comparePlaces(other, one) : comparePlaces(one, other);
  // A lane that was cut may hold more behind its last row: what lies behind the nearest such row is for the next page.
  const horizon = lastOfCutLanes(walked, lanes, perLane).sort(inOrder)[0];
  const matches = walked
    .filter((row) => (horizon === undefined || inOrder(row, horizon) <= 0) && matchesRest(filter, row))
    .filter((row) => cursor === undefined || inOrder(placeOf(cursor), row) < 0)
    .sort(inOrder);
  const page = matches.slice(0, limit);
  const end = matches.length > limit ? page.at(-1) : horizon;
  const shown = direction === "older" ? page : page.toReversed();
  const at = (to: ArchiveCursor["direction"], place: Place | undefined): ArchiveCursor | undefined =>
    place && { direction: to, archivedTime: place.at, id: place.id };
  const here = cursor && placeOf(cursor);
  return {
    items: await readSummaries(session, shown),
    older: at("older", direction === "older" ? end : (shown.at(-1) ?? here)),
    newer: at("newer", direction === "newer" ? end : cursor && (shown[0] ?? here)),
  };
}

/**
 * How many archived tasks a filter finds. Looks at so many index entries at most, or so many rows if an index serves
 * only a part of the filter; `isCapped` says that there may be more.
 */
export async function countArchive(
  session: Session,
  filter: ArchiveFilter,
  limit = hasRest(filter) ? LOOKED_AT_MAX : PAGE_COUNT_MAX,
): Promise<{ readonly count: number; readonly isCapped: boolean }> {
  const lanes = await lanesOf(session, filter);
  if (lanes.some(({ isByTime }) => !isByTime)) {
    const rows = await walk(session, filter, lanes, { cursor: undefined, perLane: limit });
    return { count: rows.filter((row) => matchesRest(filter, row)).length, isCapped: rows.length >= LOOKED_AT_MAX };
  }
  let [count, looked] = [0, 0];
  for (const lane of lanes) {
    if (looked >= limit) break;
    const columns = sql.raw(restColumns(filter).join(", ") || "1 AS one");
    const [row] = await session.rows<{ looked: string | number; matched: string | number | null }>(
      sql`SELECT COUNT(*) AS looked, SUM(${restCondition(filter)}) AS matched FROM (SELECT ${columns} FROM ${taskArchive} FORCE INDEX (${sql.raw(lane.index)})
        WHERE ${lane.equals} ${withinOf(session, filter)} LIMIT ${sql.raw(String(Math.trunc(limit - looked)))}) AS walked`,
    );
    looked += Number(row?.looked ?? 0);
    count += Number(row?.matched ?? 0);
  }
  return { count, isCapped: looked >= limit };
}

/**
 * Every type with archived tasks on the UTC days that an interval touches, registered or not, in order, at most 500: one
 * look-up in `idx_type_time` per type and day.
 */
export async function listArchivedTypes(
  session: Session,
  interval: { readonly from: Date; readonly to: Date },
): Promise<string[]> {
  // Whole days: each partition is then in or out, and no entry of the index is passed over.
  const from = session.zone.format(new Date(Math.floor(interval.from.getTime() / DAY_MS) * DAY_MS));
  const to = session.zone.format(new Date(Math.ceil(interval.to.getTime() / DAY_MS) * DAY_MS));
  const types: string[] = [];
  while (types.length < TYPES_MAX) {
    const [row] = await session.rows<{ event_type: string }>(
      sql`SELECT event_type FROM ${taskArchive} FORCE INDEX (idx_type_time) WHERE event_type > ${types.at(-1) ?? ""}
        AND archived_time >= ${from} AND archived_time < ${to} ORDER BY ${taskArchive.eventType} LIMIT 1`,
    );
    if (!row) break;
    types.push(row.event_type);
  }
  return types;
}

async function lanesOf(session: Session, filter: ArchiveFilter): Promise<Lane[]> {
  const { id, bizKey, errorFingerprint, eventTypes } = filter;
  if (id !== undefined) return [{ index: "PRIMARY", equals: sql`id = ${idLiteral(id)}`, isByTime: false }];
  if (bizKey !== undefined) return [{ index: "idx_biz", equals: sql`biz_key = ${bizKey}`, isByTime: false }];
  if (errorFingerprint !== undefined) {
    return [{ index: "idx_cause", equals: sql`error_fingerprint = ${errorFingerprint}`, isByTime: true }];
  }
  const interval = { from: filter.from ?? new Date(0), to: filter.to ?? new Date(Date.UTC(9999, 0)) };
  const types = eventTypes ?? (await listArchivedTypes(session, interval));
  return [...new Set(types)].map((eventType) => ({
    index: "idx_type_time",
    equals: sql`event_type = ${eventType}`,
    isByTime: true,
  }));
}

async function walk(
  session: Session,
  filter: ArchiveFilter,
  lanes: readonly Lane[],
  { cursor, perLane }: { readonly cursor: ArchiveCursor | undefined; readonly perLane: number },
): Promise<WalkedRow[]> {
  const columns = sql.raw(
    restColumns(filter)
      .map((name) => `, ${name}`)
      .join(""),
  );
  const rest = withinOf(session, filter);
  const selects = lanes.map(({ index, equals, isByTime }, lane) => {
    const order = isByTime
      ? sql`ORDER BY ${byTime(cursor?.direction ?? "older")} LIMIT ${sql.raw(String(perLane))}`
      : sql`LIMIT ${sql.raw(String(LOOKED_AT_MAX))}`;
    return sql`(SELECT ${sql.raw(String(lane))} AS lane, CAST(id AS CHAR) AS id, CAST(archived_time AS CHAR) AS at ${columns}
      FROM ${taskArchive} FORCE INDEX (${sql.raw(index)}) WHERE ${equals} ${rest} ${isByTime ? beyond(cursor) : sql``} ${order})`;
  });
  const rows: WalkedRow[] = [];
  for (let start = 0; start < selects.length; start += LANES_PER_STATEMENT) {
    const some = selects.slice(start, start + LANES_PER_STATEMENT);
    rows.push(...(await session.rows<WalkedRow>(sql.join(some, sql` UNION ALL `))));
  }
  return rows;
}

function byTime(direction: ArchiveCursor["direction"]): SQL {
  const way = sql.raw(direction === "older" ? "DESC" : "ASC");
  return sql`${taskArchive.archivedTime} ${way}, ${taskArchive.id} ${way}`;
}

function beyond(cursor: ArchiveCursor | undefined): SQL {
  if (!cursor) return sql``;
  const { archivedTime: at, id } = cursor;
  return cursor.direction === "older"
    ? sql`AND archived_time <= ${at} AND (archived_time < ${at} OR id < ${idLiteral(id)})`
    : sql`AND archived_time >= ${at} AND (archived_time > ${at} OR id > ${idLiteral(id)})`;
}

function withinOf({ zone }: Session, { from, to }: ArchiveFilter): SQL {
  return sql`${from ? sql`AND archived_time >= ${zone.format(from)}` : sql``} ${to ? sql`AND archived_time < ${zone.format(to)}` : sql``}`;
}

/** The parts of a filter that the chosen index does not serve. */
function restOf(filter: ArchiveFilter) {
  const { id, bizKey, errorFingerprint, status } = filter;
  const isByKey = id !== undefined || bizKey !== undefined;
  return {
    status,
    bizKey: id === undefined ? undefined : bizKey,
    errorFingerprint: isByKey ? errorFingerprint : undefined,
    eventTypes: isByKey || errorFingerprint !== undefined ? filter.eventTypes : undefined,
  };
}

function hasRest(filter: ArchiveFilter): boolean {
  return Object.values(restOf(filter)).some((part) => part !== undefined);
}

function restColumns(filter: ArchiveFilter): string[] {
  const rest = restOf(filter);
  return [
    ...(rest.status === undefined ? [] : ["status"]),
    ...(rest.bizKey === undefined ? [] : ["biz_key"]),
    ...(rest.errorFingerprint === undefined ? [] : ["error_fingerprint"]),
    ...(rest.eventTypes === undefined ? [] : ["event_type"]),
  ];
}

/** For lanes by time only: there a key or a cause is never left over. */
function restCondition(filter: ArchiveFilter): SQL {
  const { status, eventTypes } = restOf(filter);
  const types = eventTypes?.map((eventType) => sql`${eventType}`);
  const ofTypes = types && (types.length > 0 ? sql`event_type IN (${sql.join(types, sql`, `)})` : sql`FALSE`);
  return sql`${status === undefined ? sql`TRUE` : sql`status = ${STATUS_CODE[status]}`} AND ${ofTypes ?? sql`TRUE`}`;
}

function matchesRest(filter: ArchiveFilter, row: WalkedRow): boolean {
  const { status, bizKey, errorFingerprint, eventTypes } = restOf(filter);
  return (
    (status === undefined || Number(row.status) === STATUS_CODE[status]) &&
    (bizKey === undefined || row.biz_key === bizKey) &&
    (errorFingerprint === undefined || row.error_fingerprint === errorFingerprint) &&
    (eventTypes === undefined || eventTypes.includes(row.event_type))
  );
}

interface Place {
  readonly at: string;
  readonly id: string;
}

const placeOf = (cursor: ArchiveCursor): Place => ({ at: cursor.archivedTime, id: cursor.id });

/** Stored instants have one form, so their texts compare as the instants do. */
function comparePlaces(one: Place, other: Place): number {
  if (one.at !== other.at) return one.at < other.at ? -1 : 1;
  const [a, b] = [BigInt(one.id), BigInt(other.id)];
  return a < b ? -1 : a > b ? 1 : 0;
}

function lastOfCutLanes(rows: readonly WalkedRow[], lanes: readonly Lane[], perLane: number): Place[] {
  const ends = new Map<number, { count: number; last: WalkedRow }>();
  for (const row of rows)
    ends.set(Number(row.lane), { count: (ends.get(Number(row.lane))?.count ?? 0) + 1, last: row });
  return [...ends].filter(([lane, { count }]) => lanes[lane]?.isByTime && count >= perLane).map(([, { last }]) => last);
}

/** The rows of a page, by primary key, in the order asked for. */
async function readSummaries(session: Session, places: readonly Place[]): Promise<ArchivedSummary[]> {
  const [newest, oldest] = [places[0], places.at(-1)];
  if (!newest || !oldest) return [];
  const pairs = places.map((place) => sql`(id = ${idLiteral(place.id)} AND archived_time = ${place.at})`);
  const rows = await session.rows<SummaryRow>(
    sql`SELECT ${summaryColumns} FROM ${taskArchive} FORCE INDEX (PRIMARY) WHERE archived_time >= ${oldest.at}
      AND archived_time <= ${newest.at} AND (${sql.join(pairs, sql` OR `)})`,
  );
  const byPlace = new Map(rows.map((row) => [`${row.id} ${row.archived_at}`, row]));
  return places
    .map((place) => byPlace.get(`${place.id} ${place.at}`))
    .filter((row) => row !== undefined)
    .map((row) => archivedSummary(session, row));
}
