import { randomBytes } from "node:crypto";
import { ensureConsoleBuild, ensureServerBuild } from "./build.mjs";
import { lastLines, runCommand } from "./command.mjs";
import { prepareDatabase } from "./demo-database.mjs";
import { ensureNodeModules } from "./install.mjs";
import { SetupError } from "./log.mjs";
import { inRoot } from "./paths.mjs";

/**
 * Everything that must be there before the first process starts: node modules, database, build, schema.
 *
 * @param {{ withConsole: boolean }} options
 * @returns {Promise<{ url: string, wasStartedHere: boolean }>}
 */
export async function setUp({ withConsole }) {
  await ensureNodeModules();
  const prepared = await prepareDatabase();
  await ensureServerBuild();
  if (withConsole) await ensureConsoleBuild();
  const args = [inRoot("scripts", "run.mjs"), "worker/cli/main", "migrate"];
  const env = { ...process.env, DATABASE_URL: prepared.url };
  const { code, output } = await runCommand(process.execPath, args, { env });
  if (code !== 0) throw new SetupError(`The database could not be migrated:\n${lastLines(output)}`);
  return prepared;
}

/** @returns {string} begins the ids of one run's orders */
export const newPrefix = () => `demo${Date.now().toString(36)}${randomBytes(2).toString("hex")}`;
