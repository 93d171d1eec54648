import { randomBytes } from "node:crypto";
import { lastLines, runCommand } from "./command.mjs";
import { SetupError } from "./log.mjs";
import { inRoot } from "./paths.mjs";

const name = "demo";

/**
 * Makes sure that there is an admin to sign in with, whose password is a new random one at each start: there is none that
 * everybody knows.
 *
 * @param {string} databaseUrl
 * @returns {Promise<{ name: string, password: string }>}
 */
export async function makeDemoAdmin(databaseUrl) {
  const password = randomBytes(12).toString("base64url");
  const added = await user(databaseUrl, ["add", name, "--role", "admin"], password);
  if (added.code === 0) return { name, password };
  for (const words of [
    ["password", name],
    ["enable", name],
  ]) {
    const { code, output } = await user(databaseUrl, words, password);
    if (code !== 0) {
      throw new SetupError(`The demo's admin could not be made:\n${lastLines(added.output)}\n${lastLines(output)}`);
    }
  }
  return { name, password };
}

function user(databaseUrl, words, password) {
  const args = [inRoot("scripts", "run.mjs"), "worker/cli/main", "user", ...words];
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  return runCommand(process.execPath, args, { env, input: `${password}\n` });
}
