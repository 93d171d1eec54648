import { existsSync } from "node:fs";
import { findCommand } from "./command.mjs";
import { SetupError } from "./log.mjs";
import { canUseApt, installWithApt } from "./system-packages.mjs";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const macPaths = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/**
 * @param {import("./log.mjs").Log} log
 * @returns {Promise<string>} the path of a Chromium; REDRIVE_CHROMIUM first, installed with apt if there is none
 */
export async function ensureChromium(log) {
  const found = findChromium();
  if (found) return found;
  if (await canUseApt()) {
    log.step("Installing Chromium (apt)");
    await installWithApt(/^chromium$/, "chromium");
  }
  const installed = findChromium();
  if (!installed) {
    throw new SetupError(
      `No Chromium: none of ${names.join(", ")} is on PATH and apt cannot install one. ` +
        "Install one, or name its path in REDRIVE_CHROMIUM.",
    );
  }
  return installed;
}

function findChromium() {
  const given = process.env.REDRIVE_CHROMIUM;
  if (given && !existsSync(given)) throw new SetupError(`REDRIVE_CHROMIUM names ${given}, which does not exist.`);
  return given || findCommand(names) || macPaths.find((path) => existsSync(path));
}
