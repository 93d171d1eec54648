import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { binaryCollation, type ServerKind } from "../server-version.ts";

/** One numbered change of the schema, as its file holds it. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /** SHA-256 of the file with Unix line ends, in hex. */
  readonly checksum: string;
  /** One DDL statement each, without semicolon; `{{collation}}` still in place. */
  readonly statements: readonly string[];
}

const FILE_NAME = /^(\d{4})_([a-z0-9_-]+)\.sql$/i;
const BREAKPOINT = "--> statement-breakpoint";

/** Where the migrations of this program lie: beside the source, or beside the compiled code. */
export function migrationsDirectory(): string {
  return join(dirname(fileURLToPath(import.meta.url)), "..", "migrations");
}

/**
 * Reads all migrations in order of their version.
 * @throws Error if a number is used twice or left out, or if there is none at all.
 */
export async function loadMigrations(directory: string = migrationsDirectory()): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for (const file of (await readdir(directory)).sort()) {
    const match = FILE_NAME.exec(file);
    if (!match) continue;
    migrations.push(parseMigration(Number(match[1]), match[2] ?? "", await readFile(join(directory, file), "utf8")));
  }
  if (migrations.length === 0) throw new Error(`no migrations in ${directory}; build the program again`);
  migrations.forEach((migration, index) => {
    if (migration.version !== index) {
      throw new Error(
        `migrations in ${directory} are not numbered 0000, 0001, …: found ${migration.version} at place ${index}`,
      );
    }
  });
  return migrations;
}

/** Takes the text of one migration file apart. */
export function parseMigration(version: number, name: string, text: string): Migration {
  const normalized = text.replaceAll("\r\n", "\n");
  const statements = normalized
    .split(BREAKPOINT)
    .map((statement) => statement.trim().replace(/;$/, "").trim())
    .filter((statement) => statement !== "");
  return { version, name, checksum: createHash("sha256").update(normalized).digest("hex"), statements };
}

/** The statement as this server must be sent it. */
export function forServer(statement: string, kind: ServerKind): string {
  return statement.replaceAll("{{collation}}", binaryCollation(kind));
}

let ownMigrations: Promise<Migration[]> | undefined;

/** The migrations of this program, read once per process. */
export function knownMigrations(): Promise<Migration[]> {
  ownMigrations ??= loadMigrations().catch((error: unknown) => {
    ownMigrations = undefined;
    throw error;
  });
  return ownMigrations;
}
