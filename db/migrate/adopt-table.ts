import { type ServerKind, binaryCollation } from "../server-version.ts";
import type { Session } from "../session.ts";
import { findDuplicateKeys, findNulls, findTooLong } from "./adoption-checks.ts";
import { addColumn, changeColumn } from "./column-changes.ts";
import { type LiveTable, readLiveTable } from "./live-table.ts";
import { type IndexDefinition, type TableDefinition, parseTableDefinition } from "./table-definition.ts";

/** The only table that may exist before us: teams have it from the well-known pattern. */
const ADOPTED_TABLE = "t_retry_task";

/** Something that a person should know about a table that is adopted in place; nothing was done about it. */
export interface AdoptionNote {
  readonly table: string;
  readonly text: string;
}

export interface Adoption {
  /** What to run instead of the CREATE TABLE: it itself, one ALTER TABLE, or nothing. */
  readonly statements: readonly string[];
  readonly notes: readonly AdoptionNote[];
}

/** An existing table cannot be adopted as it is; the message lists every reason. Nothing was changed. */
export class AdoptionError extends Error {
  override readonly name = "AdoptionError";
  readonly code = "ADOPTION_REFUSED";
}

/**
 * Decides what a CREATE TABLE statement means for this database. If the table exists, one ALTER TABLE adds what is
 * missing; rows, ids, foreign columns and foreign indexes stay. Only reads.
 * @throws AdoptionError listing everything that stands in the way, found before anything is altered.
 */
export async function createOrAdopt(session: Session, kind: ServerKind, statement: string): Promise<Adoption> {
  const expected = parseTableDefinitionOf(statement, ADOPTED_TABLE);
  const live = expected && (await readLiveTable(session, kind, expected.table));
  if (!expected || !live) return { statements: [statement], notes: [] };
  const clauses: string[] = [];
  const problems: string[] = [];
  const notes: string[] = [];
  const dataChecks: (() => Promise<string[]>)[] = [];
  if (live.engine.toLowerCase() !== "innodb") clauses.push("ENGINE=InnoDB");

  let rewrites = clauses.length > 0;
  for (const column of expected.columns) {
    const existing = live.columns.find(({ name }) => name.toLowerCase() === column.name);
    const change = existing ? changeColumn(kind, column, existing) : addColumn(kind, column);
    if (change.kind === "impossible") problems.push(change.problem);
    if (change.kind !== "alter") continue;
    clauses.push(change.clause);
    if (!existing) continue;
    rewrites = true;
    if (change.losesNulls) dataChecks.push(() => findNulls(session, live.table, column.name));
    const { shrinksTo } = change;
    if (shrinksTo !== undefined) {
      dataChecks.push(() => findTooLong(session, live.table, column, shrinksTo));
      notes.push(`column ${column.name} shrinks from ${existing.type} to ${column.type}; all rows fit`);
    }
  }
  if (live.primaryKey.join() !== expected.primaryKey.join()) {
    problems.push(`the primary key is (${live.primaryKey.join(", ")}), expected (${expected.primaryKey.join(", ")})`);
  }
  for (const index of expected.indexes) {
    const existing = live.indexes.find(({ name }) => name === index.name);
    if (existing && sameIndex(existing, index)) continue;
    if (existing) {
      clauses.push(`DROP INDEX \`${index.name}\``);
      notes.push(
        `index ${index.name} on (${existing.columns.join(", ")}) is replaced by (${index.columns.join(", ")})`,
      );
    }
    clauses.push(addIndex(index));
    if (index.isUnique && !guaranteesUnique(live, index)) {
      dataChecks.push(() => findDuplicateKeys(session, kind, live.table, index));
    }
  }
  problems.push(...foreignColumnProblems(live, expected));
  // Rows are looked at only where the columns fit: the checks name them.
  if (problems.length === 0) for (const check of dataChecks) problems.push(...(await check()));
  if (problems.length > 0) {
    throw new AdoptionError(
      `table ${live.table} exists and cannot be adopted as it is (nothing was changed): ${problems.join("; ")}`,
    );
  }
  const collation = binaryCollation(kind);
  if (live.collation !== collation) clauses.push(`DEFAULT CHARACTER SET utf8mb4 COLLATE ${collation}`);
  if (clauses.length === 0) return { statements: [], notes: [] };
  if (rewrites) {
    notes.push(
      `adopting rewrites the table (about ${live.rowsEstimate} rows); inserts wait while that runs. For a large table run the planned ALTER with an online schema change tool first: migrating then finds nothing left to do`,
    );
  }
  notes.push(
    "existing instants were written in the zone of the old code's sessions; give Redrive the same fixed offset as its session zone",
  );
  notes.push(...foreignIndexNotes(live, expected));
  return {
    statements: [`ALTER TABLE \`${live.table}\`\n  ${clauses.join(",\n  ")}`],
    notes: notes.map((text) => ({ table: live.table, text })),
  };
}

function parseTableDefinitionOf(statement: string, table: string): TableDefinition | undefined {
  if (!statement.startsWith(`CREATE TABLE \`${table}\``)) return undefined;
  return parseTableDefinition(statement);
}

function sameIndex(one: IndexDefinition, other: IndexDefinition): boolean {
  return one.isUnique === other.isUnique && one.columns.join() === other.columns.join();
}

/** An existing unique index on the same columns, under a collation at least as strict as ours about what is equal. */
function guaranteesUnique(live: LiveTable, index: IndexDefinition): boolean {
  const wanted = [...index.columns].sort().join();
  return live.indexes.some((existing) => existing.isUnique && [...existing.columns].sort().join() === wanted);
}

function addIndex(index: IndexDefinition): string {
  const columns = index.columns.map((column) => `\`${column}\``).join(", ");
  return `ADD ${index.isUnique ? "UNIQUE KEY" : "KEY"} \`${index.name}\` (${columns})`;
}

/** Columns of others stay, but one that every insert must name would make ours fail. */
function foreignColumnProblems(live: LiveTable, expected: TableDefinition): string[] {
  return live.columns
    .filter((column) => !expected.columns.some(({ name }) => name === column.name.toLowerCase()))
    .filter(
      (column) =>
        !column.isNullable && column.defaultSql === undefined && !column.isAutoIncrement && !column.isGenerated,
    )
    .map((column) => `column ${column.name} is not ours, NOT NULL and without a default: give it a default`);
}

const OLD_POLLER_INDEXES: ReadonlySet<string> = new Set(["next_retry_time", "update_time"]);

function foreignIndexNotes(live: LiveTable, expected: TableDefinition): string[] {
  return live.indexes
    .filter((index) => !expected.indexes.some(({ name }) => name === index.name))
    .map((index) => {
      const isOfOldPoller =
        OLD_POLLER_INDEXES.has(index.columns.join()) || expected.indexes.some((own) => sameIndex(own, index));
      return isOfOldPoller
        ? `index ${index.name} (${index.columns.join(", ")}) is no longer needed: drop it when the old poller is gone (ALTER TABLE ${live.table} DROP INDEX ${index.name})`
        : `index ${index.name} (${index.columns.join(", ")}) is not ours and stays; every index costs each write`;
    });
}
