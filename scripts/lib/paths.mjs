import { realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository root, with links resolved: a running server is recognised by this path. */
export const root = realpathSync(fileURLToPath(new URL("../..", import.meta.url)));

/** Everything the scripts keep between runs: the private database, logs, locks. Ignored by git. */
export const stateDir = join(root, ".redrive");

/**
 * @param {...string} parts path below the repository root
 * @returns {string}
 */
export const inRoot = (...parts) => join(root, ...parts);

/**
 * @param {string} name a command of an installed package
 * @returns {string}
 */
export const packageCommand = (name) => inRoot("node_modules", ".bin", name);
