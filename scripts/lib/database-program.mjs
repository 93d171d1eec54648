import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { findCommand, lastLines, runCommand } from "./command.mjs";
import { SetupError } from "./log.mjs";
import { stateDir } from "./paths.mjs";
import { canUseApt, installWithApt } from "./system-packages.mjs";

const unfinishedMark = ".unfinished-";

const serverDirectories = [
  ...["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/usr/libexec", "/usr/local/mysql/bin"],
  ...["/opt/homebrew/bin", "/opt/homebrew/opt/mariadb/bin", "/opt/homebrew/opt/mysql/bin"],
  ...["/usr/local/opt/mariadb/bin", "/usr/local/opt/mysql/bin", "/home/linuxbrew/.linuxbrew/bin"],
];

/** @typedef {{ path: string, kind: "mariadb" | "mysql", dataDir: string }} DatabaseProgram */

/**
 * @returns {Promise<DatabaseProgram | null>} a server program of this machine; the one that already has our data first
 */
export async function findDatabaseProgram() {
  const paths = ["mariadbd", "mysqld"].map((name) => findCommand([name], serverDirectories)).filter(Boolean);
  const programs = [];
  for (const path of paths) {
    const { code, output } = await runCommand(path, ["--no-defaults", "--version"]);
    if (code !== 0) continue;
    const kind = /mariadb/i.test(output) ? "mariadb" : "mysql";
    programs.push({ path, kind, dataDir: join(stateDir, kind) });
  }
  return programs.find(({ dataDir }) => existsSync(dataDir)) ?? programs[0] ?? null;
}

/**
 * Installs MariaDB's server program with the system's package manager. It starts no service.
 *
 * @param {import("./log.mjs").Log} log
 * @returns {Promise<boolean>} false if there is no package manager to use
 */
export async function installDatabaseProgram(log) {
  if (await canUseApt()) {
    log.step("Installing MariaDB's server program (apt, mariadb-server-core)");
    await installWithApt(/^mariadb-server-core(-[\d.]+)?$/, "mariadb-server-core");
    return true;
  }
  if (!findCommand(["brew"])) return false;
  log.step("Installing MariaDB (brew install mariadb)");
  const { code } = await runCommand("brew", ["install", "mariadb"], { output: "stderr" });
  if (code !== 0) throw new SetupError("brew install mariadb failed; its messages are above.");
  return true;
}

/**
 * A folder for temporary files that no other server has: at its start MariaDB deletes whatever temporary tables lie in the
 * folder that it uses, `/tmp` unless told, and would take them from a server that is at work.
 *
 * @returns {string[]}
 */
export function temporaryFolderArguments() {
  const folder = join(stateDir, "database-tmp");
  mkdirSync(folder, { recursive: true });
  return [`--tmpdir=${folder}`];
}

/** The account to run as: a server started by root refuses to run without one. */
export const userArguments = () => (process.getuid?.() === 0 ? ["--user=root"] : []);

/**
 * Creates the data directory if there is none: root without a password, reachable from this machine only.
 * It is made under another name first, so an interrupted run leaves nothing that looks complete.
 *
 * @param {DatabaseProgram} program
 * @param {import("./log.mjs").Log} log
 * @returns {Promise<void>}
 */
export async function ensureDataDirectory(program, log) {
  if (existsSync(program.dataDir)) return;
  log.step(`Creating the private database in ${program.dataDir}`);
  mkdirSync(stateDir, { recursive: true });
  removeUnfinished();
  const unfinished = `${program.dataDir}${unfinishedMark}${process.pid}`;
  const [command, args] =
    program.kind === "mariadb" ? mariadbInstall(program) : [program.path, ["--initialize-insecure"]];
  const { code, output } = await runCommand(command, [
    ...["--no-defaults", ...args, `--datadir=${unfinished}`, ...temporaryFolderArguments(), ...userArguments()],
  ]);
  if (code !== 0) {
    throw new SetupError(`${command} could not create the data directory ${unfinished}:\n${lastLines(output)}`);
  }
  renameSync(unfinished, program.dataDir);
}

/** What a killed run left may still be written to by the program it had started; it is then removed another time. */
function removeUnfinished() {
  for (const name of readdirSync(stateDir).filter((candidate) => candidate.includes(unfinishedMark))) {
    try {
      rmSync(join(stateDir, name), { recursive: true, force: true });
    } catch (err) {
      if (err.code !== "ENOTEMPTY") throw err;
    }
  }
}

function mariadbInstall(program) {
  const beside = [join(dirname(program.path), "../bin"), join(dirname(program.path), "../scripts")];
  const command = findCommand(["mariadb-install-db", "mysql_install_db"], [...beside, ...serverDirectories]);
  if (!command) {
    throw new SetupError(
      `${program.path} is here, but mariadb-install-db, which creates its data directory, is not. ` +
        `Install the rest of MariaDB's server package, or set DATABASE_URL to a server of your own.`,
    );
  }
  return [command, ["--auth-root-authentication-method=normal", "--skip-test-db", "--force"]];
}
