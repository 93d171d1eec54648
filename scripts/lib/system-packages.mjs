import { findCommand, lastLines, runCommand } from "./command.mjs";
import { SetupError } from "./log.mjs";

/**
 * @returns {Promise<boolean>} whether packages can be installed with apt without asking anybody
 */
export async function canUseApt() {
  if (!findCommand(["apt-get"])) return false;
  return (await rootPrefix()) !== null;
}

/**
 * Installs one package with apt, with a fresh package list if the present one does not know it.
 *
 * @param {RegExp} name names to accept, for releases that put a version into the name; the shortest match is taken
 * @param {string} word a part of the name, to search by
 * @returns {Promise<void>}
 */
export async function installWithApt(name, word) {
  let found = await findPackage(name, word);
  let result = found ? await apt(["install", found]) : null;
  if (result?.code !== 0) {
    await apt(["update"]);
    found = await findPackage(name, word);
    if (!found) throw new SetupError(`apt knows no package named like ${word}, even after apt-get update.`);
    result = await apt(["install", found]);
  }
  if (result.code !== 0) {
    throw new SetupError(
      `apt-get install ${found} failed:\n${lastLines(result.output)}\n  Install it by hand, then try again.`,
    );
  }
}

async function findPackage(name, word) {
  const { output } = await runCommand("apt-cache", ["--names-only", "search", word]);
  const names = output.split("\n").map((line) => line.split(" ")[0] ?? "");
  return names.filter((candidate) => name.test(candidate)).sort((a, b) => a.length - b.length || b.localeCompare(a))[0];
}

async function apt([verb, ...packages]) {
  const options = ["-y", "-qq", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"];
  const [command, ...args] = [
    ...((await rootPrefix()) ?? []),
    ...["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", ...options, verb, ...packages],
  ];
  return runCommand(command, args);
}

async function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  if (!findCommand(["sudo"])) return null;
  return (await runCommand("sudo", ["-n", "true"])).code === 0 ? ["sudo", "-n"] : null;
}
