import type { AdoptionNote } from "../../db/migrate/adopt-table.ts";
import { migrate } from "../../db/migrate/migrate.ts";
import { planMigrations } from "../../db/migrate/plan-migrations.ts";
import type { CliContext, Verb, VerbResult } from "./verb.ts";

/** `redrive migrate`: brings the schema up to this program's version, or prints the SQL that would do it. */
export const migrateVerb: Verb = {
  name: "migrate",
  summary: "bring the database's schema up to this program's version",
  operands: "",
  operandsMin: 0,
  operandsMax: 0,
  options: { plan: { type: "boolean", help: "print the SQL that would run, and change nothing" } },
  notes: "Safe while services and workers run, safe to run twice at once, safe to kill and run again.",
  run: (input, context) => (input.options["plan"] === true ? plan(context) : apply(context)),
};

async function plan({ connection }: CliContext): Promise<VerbResult> {
  const migrations = await planMigrations(connection);
  const parts = migrations.flatMap(({ version, name, statements, notes }) => [
    `-- migration ${version} (${name})`,
    ...notes.map((note) => noteText(note).replaceAll(/^/gm, "-- ")),
    ...statements.map((statement) => `${statement.trimEnd().replace(/;$/, "")};`),
  ]);
  return {
    json: { planned: migrations },
    text: parts.length > 0 ? parts.join("\n") : "-- the schema is up to date",
  };
}

async function apply({ connection, zone, progress }: CliContext): Promise<VerbResult> {
  const { applied, notes } = await migrate(connection, {
    zone,
    onStep: ({ version, name, step, steps, statement }) =>
      progress(`migration ${version} (${name}), ${step} of ${steps}: ${statement}`),
  });
  const done = applied.map(({ version, name }) => `applied migration ${version} (${name})`);
  return {
    json: { applied, notes },
    text: [...(done.length > 0 ? done : ["the schema is up to date"]), ...notes.map(noteText)].join("\n"),
  };
}

const noteText = (note: AdoptionNote): string => `note on ${note.table}: ${note.text}`;
