import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./paths.mjs";

/**
 * One hash over the names and contents of files, so that a copy or a checkout of the same sources needs no new build.
 *
 * @param {string[]} names files and directories below the root; a missing one counts as empty
 * @param {{ ignore?: (path: string) => boolean, extra?: string[] }} [options] `extra`: further values the result depends on
 * @returns {string}
 */
export function fingerprint(names, { ignore = () => false, extra = [] } = {}) {
  const hash = createHash("sha256");
  for (const value of extra) hash.update(`${value}\0`);
  for (const path of names.flatMap((name) => listFiles(join(root, name))).sort()) {
    const name = relative(root, path);
    if (ignore(name)) continue;
    hash.update(`${name}\0`).update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex");
}

function listFiles(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  if (!stats.isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.isFile())
    .flatMap((entry) => listFiles(join(path, entry.name)));
}
