/** A column as a CREATE TABLE statement of ours defines it. */
export interface ColumnDefinition {
  readonly name: string;
  /** Type with length, in lower case: `varchar(64)`, `datetime(3)`, `bigint`. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly isAutoIncrement: boolean;
  /** SQL text after DEFAULT. */
  readonly defaultSql: string | undefined;
  /** SQL text after ON UPDATE. */
  readonly onUpdateSql: string | undefined;
}

export interface IndexDefinition {
  readonly name: string;
  readonly isUnique: boolean;
  readonly columns: readonly string[];
}

export interface TableDefinition {
  readonly table: string;
  readonly columns: readonly ColumnDefinition[];
  /** Without the primary key. */
  readonly indexes: readonly IndexDefinition[];
  readonly primaryKey: readonly string[];
}

const HEAD = /^CREATE TABLE `(\w+)` \(/;
const COLUMN = /^`(\w+)` ([a-z]+(?:\([\d,]+\))?)(.*?),?$/;
const PRIMARY_KEY = /^PRIMARY KEY ?\((.+)\),?$/;
const INDEX = /^(UNIQUE )?(?:KEY|INDEX) `(\w+)` ?\((.+)\),?$/;

/**
 * Reads a CREATE TABLE statement of a migration file (one column or key per line), or answers `undefined` for any other
 * statement.
 * @throws Error for a line that it cannot read.
 */
export function parseTableDefinition(statement: string): TableDefinition | undefined {
  const table = HEAD.exec(statement)?.[1];
  if (table === undefined) return undefined;
  const columns: ColumnDefinition[] = [];
  const indexes: IndexDefinition[] = [];
  let primaryKey: string[] = [];
  for (const line of statement.split("\n").slice(1)) {
    const text = line.trim();
    if (text === "" || text.startsWith(")")) break;
    const column = COLUMN.exec(text);
    const index = INDEX.exec(text);
    const primary = PRIMARY_KEY.exec(text);
    if (column) columns.push(parseColumn(column[1] ?? "", column[2] ?? "", column[3] ?? ""));
    else if (index) {
      indexes.push({ name: index[2] ?? "", isUnique: index[1] !== undefined, columns: columnNames(index[3] ?? "") });
    } else if (primary) primaryKey = columnNames(primary[1] ?? "");
    else throw new Error(`cannot read "${text}" in the definition of ${table}`);
  }
  return { table, columns, indexes, primaryKey };
}

function parseColumn(name: string, type: string, rest: string): ColumnDefinition {
  return {
    name,
    type,
    isNullable: !/\bNOT NULL\b/.test(rest),
    isAutoIncrement: /\bAUTO_INCREMENT\b/.test(rest),
    defaultSql: /\bDEFAULT ('(?:[^']|'')*'|\([^']*\)|[\w.()-]+)/.exec(rest)?.[1],
    onUpdateSql: /\bON UPDATE ([\w()]+)/.exec(rest)?.[1],
  };
}

function columnNames(list: string): string[] {
  return list.split(",").map((name) => name.trim().replaceAll("`", ""));
}
