import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { runCommand } from "./command.mjs";
import { withLock } from "./lock.mjs";
import { log as defaultLog, SetupError } from "./log.mjs";
import { inRoot } from "./paths.mjs";

const stampPath = inRoot("node_modules", ".redrive-stamp");
const lockFilePath = inRoot("package-lock.json");

/**
 * Installs the node modules when they are missing or do not match package-lock.json; otherwise does and prints nothing.
 *
 * @param {{ log?: import("./log.mjs").Log }} [options]
 * @returns {Promise<void>}
 */
export async function ensureNodeModules({ log = defaultLog } = {}) {
  if (isInstalled()) return;
  await withLock(inRoot(".redrive", "locks", "install"), () => install(log), {
    onWait: (pid) => log.step(`Waiting for process ${pid}, which is installing the node modules`),
  });
}

async function install(log) {
  if (isInstalled()) return;
  const verb = existsSync(lockFilePath) ? "ci" : "install";
  log.step(`Installing node modules (npm ${verb})`);
  const args = [verb, "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code } = await runCommand("npm", args, { output: "stderr" });
  if (code !== 0) {
    throw new SetupError(
      `npm ${verb} failed with exit code ${code}; its own message is above. ` +
        `Check the network and npm's registry setting, then run the same command again.`,
    );
  }
  writeFileSync(stampPath, lockHash());
}

function isInstalled() {
  if (!existsSync(inRoot("node_modules"))) return false;
  if (!existsSync(lockFilePath)) return existsSync(stampPath);
  const hash = lockHash();
  if (readOrEmpty(stampPath) === hash) return true;
  if (!matchesLockFile()) return false;
  try {
    writeFileSync(stampPath, hash);
  } catch {
    // A read-only installation is as good without its stamp, only compared again next time.
  }
  return true;
}

/** npm keeps its own record of what it installed; this covers modules installed by hand or into an image. */
function matchesLockFile() {
  const record = readOrEmpty(inRoot("node_modules", ".package-lock.json"));
  if (!record) return false;
  const installed = JSON.parse(record).packages ?? {};
  const wanted = JSON.parse(readFileSync(lockFilePath, "utf8")).packages ?? {};
  const mayMissDev = process.env.NODE_ENV === "production";
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "" || entry.version === installed[path]?.version) return true;
    return path in installed ? false : Boolean(entry.optional || entry.devOptional || (mayMissDev && entry.dev));
  });
}

const lockHash = () => createHash("sha256").update(readOrEmpty(lockFilePath)).digest("hex");

function readOrEmpty(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
