import { fileURLToPath, pathToFileURL } from "node:url";
import { HiveSQL } from "dt-sql-parser/dist/parser/hive/index.js";
import { SparkSQL } from "dt-sql-parser/dist/parser/spark/index.js";
import { TrinoSQL } from "dt-sql-parser/dist/parser/trino/index.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EXPORT_COLUMNS } from "./columns.ts";
import { DDL_DIALECTS, type DdlDialect, exportDdl } from "./ddl.ts";

/** The grammars of the three engines, by somebody else. */
const GRAMMARS = { hive: new HiveSQL(), spark: new SparkSQL(), trino: new TrinoSQL() };

const problemsOf = (dialect: DdlDialect, ddl: string) => GRAMMARS[dialect].validate(ddl).map(({ message }) => message);

/** The literals that name the places of both tables, as the engine reads them. */
function placesOf(dialect: DdlDialect, ddl: string): string[] {
  const word = dialect === "trino" ? /external_location = (.*),\n/g : /^LOCATION (.*);\n/gm;
  return [...ddl.matchAll(word)].map((match) => READERS[dialect](match[1] ?? ""));
}

/** Hive: `BaseSemanticAnalyzer.unescapeSQLString`; Spark: `SparkParserUtils.unescapeSQLString`, alike for what we write. */
function readBackslashed(literal: string): string {
  expect(literal).toMatch(/^'(?:[^'\\]|\\[^])*'$/);
  return literal
    .slice(1, -1)
    .replaceAll(/\\u([0-9a-f]{4})|\\([^])/gi, (_, code: string | undefined, plain: string) =>
      code === undefined ? plain : String.fromCharCode(Number.parseInt(code, 16)),
    );
}

/** Trino: doubled quotes; in `U&'…'` also `\+` with six digits, and no surrogates among them. */
function readTrino(literal: string): string {
  const [, isUnicode, inner = ""] = /^(U&)?'((?:[^']|'')*)'$/.exec(literal) ?? [];
  const text = inner.replaceAll("''", "'");
  if (!isUnicode) return text;
  return text.replaceAll(/\\(?:\+([0-9a-f]{6})|(\\))/gi, (_, code: string | undefined) =>
    code === undefined ? "\\" : String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

const READERS = { hive: readBackslashed, spark: readBackslashed, trino: readTrino };

const HOSTILE = [
  "plain",
  "it's",
  "back\\slash\\'n",
  "\\u0041 100%_\\%",
  "a;DROP TABLE x",
  "${env:HOME}",
  "spaces and +plus",
  '"double" `tick`',
  "订单😀é",
  "--comment /* here */",
  "\u202egnp\u200b",
  "tag\u{e0041}s",
  "' ) --",
];

describe.each(DDL_DIALECTS)("the DDL for %s", (dialect) => {
  it("is a statement of its grammar, whatever the location holds", () => {
    for (const name of HOSTILE) {
      expect(problemsOf(dialect, exportDdl(dialect, `s3://lake/${name}`)), name).toEqual([]);
    }
  });

  it("is no statement any more once it is damaged", () => {
    const ddl = exportDdl(dialect, "s3://lake/redrive");
    expect(problemsOf(dialect, ddl)).toEqual([]);
    const damages: [RegExp, string][] = [
      [/TABLE/, "TABEL"],
      [/BIGINT/, "BIGINT BIGINT"],
      [/'(?=[,;]\n)/, ""],
      [/PARTITIONED BY|partitioned_by =/, "PARTED BY"],
      [/\)\n/, "\n"],
      [/,\n/, "\n"],
    ];
    for (const [from, to] of damages) {
      expect(ddl).toMatch(from);
      expect(problemsOf(dialect, ddl.replace(from, to)), String(from)).not.toEqual([]);
    }
  });

  it("names the very folder or prefix, in characters that drive no terminal", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.constantFrom(...HOSTILE),
          fc.stringMatching(/^[-a-z'"\\;${}% \u202e\u{1f600}\u8ba2]{1,20}$/u),
          fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
        ),
        fc.boolean(),
        (name, isFolder) => {
          const path = `/srv/${name.replaceAll(/[/\0]/g, "_")}x`;
          const location = isFolder ? pathToFileURL(path).href : `s3://lake${path}`;
          const ddl = exportDdl(dialect, location);
          const root = isFolder
            ? `file://${fileURLToPath(location)}`
            : `${dialect === "trino" ? "s3" : "s3a"}://lake${path}`;
          expect(placesOf(dialect, ddl)).toEqual([`${root}/tasks`, `${root}/attempts`]);
          expect(ddl.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b]/u);
          expect(dialect === "trino" ? "" : ddl).not.toMatch(/;.|\$/);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("declares every column of the files and every key of the folders once, all keys last and as text", () => {
    for (const [source, keys] of [
      ["tasks", ["dt", "event_type"]],
      ["attempts", ["dt"]],
    ] as const) {
      const ddl = exportDdl(dialect, "s3://lake/redrive");
      const [, table = ""] = ddl.split(`TABLE redrive_${source} (`);
      const [body = ""] = table.split(/\nSTORED|\nUSING|\nWITH/);
      const declared = [...body.matchAll(/[`"](\w+)[`"] ([A-Z]+)/g)].map(([, name, type]) => [name, type]);
      const isText = (name: string) => [name, dialect === "trino" ? "VARCHAR" : "STRING"];
      expect(declared.slice(-keys.length)).toEqual(keys.map(isText));
      expect(declared.slice(0, -keys.length).map(([name]) => name)).toEqual(
        EXPORT_COLUMNS[source].map(({ name }) => name),
      );
    }
  });
});
