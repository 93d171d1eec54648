import { type SQL, sql } from "drizzle-orm";
import { MySqlDialect } from "drizzle-orm/mysql-core";
import { SessionZone } from "./session-zone.ts";

/** A value that a statement binds. 64-bit ids are bound as bigint. */
export type SqlValue = string | number | bigint | boolean | null | Date;

/**
 * The two methods through which Redrive speaks to any session of any client library. Implement it over your ORM's
 * transaction to enqueue from there. Both must run on the same session, in call order, with `?` placeholders.
 */
export interface SqlSeam {
  /** Runs a statement that answers rows; each row is an object by column alias. */
  query(text: string, values: readonly SqlValue[]): Promise<readonly Record<string, unknown>[]>;
  /** Runs a statement that changes rows. `insertId` is the first generated id, 0 if there is none. */
  execute(
    text: string,
    values: readonly SqlValue[],
  ): Promise<{ affectedRows: number; insertId: number | string | bigint }>;
}

export interface Change {
  readonly affectedRows: number;
  readonly insertId: number | string | bigint;
}

const dialect = new MySqlDialect();

/** SQL text and bound values of a statement that was composed with Drizzle's `sql`. */
export function render(statement: SQL): { text: string; values: SqlValue[] } {
  const { sql: text, params } = dialect.sqlToQuery(statement);
  return { text, values: params as SqlValue[] };
}

const plainTexts = new WeakMap<SQL, string>();

/**
 * The text of a part that binds no values, rendered once.
 * @throws RangeError if it does: as text they would be lost.
 */
export function plainText(part: SQL): string {
  const known = plainTexts.get(part);
  if (known !== undefined) return known;
  const { text, values } = render(part);
  if (values.length > 0) throw new RangeError(`"${text}" binds ${values.length} values`);
  plainTexts.set(part, text);
  return text;
}

/** One database session, the zone it stores instants in, and the clock its statements use. */
export class Session {
  readonly zone: SessionZone;
  /** "Now" as the statements write it: the database's clock, or the fixed instant of `at()`. */
  readonly now: SQL;
  readonly #seam: SqlSeam;

  constructor(seam: SqlSeam, zone: SessionZone = SessionZone.utc, now: SQL = zone.now) {
    this.#seam = seam;
    this.zone = zone;
    this.now = now;
  }

  /** The same session with its clock stopped at an instant; for tests of limits. */
  at(instant: Date): Session {
    return new Session(this.#seam, this.zone, sql.raw(`CAST('${this.zone.format(instant)}' AS DATETIME(3))`));
  }

  async rows<Row>(statement: SQL): Promise<Row[]> {
    const { text, values } = render(statement);
    return (await this.#seam.query(text, values)) as Row[];
  }

  async change(statement: SQL): Promise<Change> {
    const { text, values } = render(statement);
    return this.#seam.execute(text, values);
  }

  /** `change` of a statement that is text already and binds nothing: composing costs more than the rest of a small insert. */
  async changeText(text: string): Promise<Change> {
    return this.#seam.execute(text, []);
  }

  /** Runs text that is no composed statement: session settings, DDL. */
  async run(text: string): Promise<void> {
    await this.#seam.execute(text, []);
  }
}

/** A comma-separated list of ids as numbers, sorted ascending so that every writer locks in the same order. */
export function idList(ids: readonly string[]): SQL {
  const sorted = ids.map((id) => BigInt(id)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sql.raw(sorted.join(","));
}

/**
 * The ids as a table of one column `id`, sorted, to be joined with STRAIGHT_JOIN: each row is then looked up by its key.
 * An `IN` list is no such promise: as soon as it is a large share of the rows that the statistics know (a small table, or
 * one that is being emptied), both servers scan the table for a DELETE or a locking SELECT, with FORCE INDEX too, and
 * wait for the rows of others.
 */
export function idRows(ids: readonly string[]): SQL {
  const sorted = ids.map((id) => BigInt(id)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sql.raw(`(${sorted.map((id) => `SELECT ${id} AS id`).join(" UNION ALL ")})`);
}

/** One id as a number literal; the text must be decimal digits. */
export function idLiteral(id: string): SQL {
  return sql.raw(BigInt(id).toString());
}
