import { type ServerKind, binaryCollation } from "../server-version.ts";
import type { LiveColumn } from "./live-table.ts";
import type { ColumnDefinition } from "./table-definition.ts";

/** What must happen to one column of an adopted table; `clause` is part of its ALTER TABLE. */
export type ColumnChange =
  | { readonly kind: "none" }
  | {
      readonly kind: "alter";
      readonly clause: string;
      readonly shrinksTo: number | undefined;
      readonly losesNulls: boolean;
    }
  | { readonly kind: "impossible"; readonly problem: string };

const INTEGERS = ["tinyint", "smallint", "mediumint", "int", "bigint"];
const TEMPORALS = ["datetime", "timestamp"];
const TEXTS = ["char", "varchar", "tinytext", "text", "mediumtext", "longtext", "json", "enum"];
const TEXT_BYTES: Readonly<Record<string, number>> = { text: 65_535, mediumtext: 16_777_215 };

/** Adds a column that the adopted table does not have. */
export function addColumn(kind: ServerKind, expected: ColumnDefinition): ColumnChange {
  if (!expected.isNullable && expected.defaultSql === undefined) {
    return { kind: "impossible", problem: `column ${expected.name} is missing and has no default` };
  }
  const clause = `ADD COLUMN ${columnSql(kind, expected, expected.defaultSql, "")}`;
  return { kind: "alter", clause, shrinksTo: undefined, losesNulls: false };
}

/**
 * Compares a column that exists with the one that is expected. Integers are widened, never narrowed; text gets our type
 * and binary collation; a default that only the existing column has stays, because foreign inserts may rely on it.
 */
export function changeColumn(kind: ServerKind, expected: ColumnDefinition, live: LiveColumn): ColumnChange {
  if (live.isGenerated) return impossible(expected, "is a generated column");
  const type = targetType(expected, live);
  if (type === undefined) return impossible(expected, `has type ${live.type}, which cannot become ${expected.type}`);
  const collation = isText(expected.type) ? binaryCollation(kind) : undefined;
  const defaultSql = expected.defaultSql ?? live.defaultSql;
  const isSame =
    type === live.type &&
    expected.isNullable === live.isNullable &&
    expected.isAutoIncrement === live.isAutoIncrement &&
    sameSql(defaultSql, live.defaultSql) &&
    sameSql(expected.onUpdateSql, live.onUpdateSql) &&
    (collation === undefined || collation === live.collation);
  if (isSame) return { kind: "none" };
  return {
    kind: "alter",
    clause: `MODIFY COLUMN ${columnSql(kind, { ...expected, type }, defaultSql, live.comment)}`,
    shrinksTo: shrinksTo(expected, live),
    losesNulls: live.isNullable && !expected.isNullable,
  };
}

/** True if two SQL texts for a default mean the same, whatever the case of functions and the quotes of numbers. */
export function sameSql(one: string | undefined, other: string | undefined): boolean {
  const plain = (text: string | undefined) => text?.replace(/^'(-?\d+)'$/, "$1").toLowerCase();
  return plain(one) === plain(other);
}

export function isText(type: string): boolean {
  return TEXTS.includes(baseType(type));
}

function baseType(type: string): string {
  return /^[a-z]+/.exec(type)?.[0] ?? type;
}

function targetType(expected: ColumnDefinition, live: LiveColumn): string | undefined {
  const wanted = baseType(expected.type);
  const rank = INTEGERS.indexOf(wanted);
  if (rank >= 0) {
    const liveRank = INTEGERS.indexOf(live.dataType);
    if (liveRank < 0) return undefined;
    return liveRank >= rank ? live.type : expected.type;
  }
  const family = TEMPORALS.includes(wanted) ? TEMPORALS : TEXTS;
  return family.includes(live.dataType) ? expected.type : undefined;
}

/** The characters (varchar) or bytes (text) that still fit, if the existing column takes more. */
function shrinksTo(expected: ColumnDefinition, live: LiveColumn): number | undefined {
  if (!isText(expected.type)) return undefined;
  const limit = Number(/\((\d+)\)/.exec(expected.type)?.[1] ?? TEXT_BYTES[expected.type] ?? Number.POSITIVE_INFINITY);
  return (live.lengthMax ?? Number.POSITIVE_INFINITY) > limit ? limit : undefined;
}

function columnSql(
  kind: ServerKind,
  column: ColumnDefinition,
  defaultSql: string | undefined,
  comment: string,
): string {
  const parts = [`\`${column.name}\``, column.type];
  if (isText(column.type)) parts.push(`CHARACTER SET utf8mb4 COLLATE ${binaryCollation(kind)}`);
  parts.push(column.isNullable ? "NULL" : "NOT NULL");
  if (column.isAutoIncrement) parts.push("AUTO_INCREMENT");
  if (defaultSql !== undefined) parts.push(`DEFAULT ${defaultSql}`);
  if (column.onUpdateSql !== undefined) parts.push(`ON UPDATE ${column.onUpdateSql}`);
  if (comment !== "") parts.push(`COMMENT '${comment.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`);
  return parts.join(" ");
}

function impossible(column: ColumnDefinition, why: string): ColumnChange {
  return { kind: "impossible", problem: `column ${column.name} ${why}` };
}
