import { relative, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The arguments with which Node runs a script of this repository in a process of its own: as compiled before the test run
 * (scripts/lib/compile-scripts.ts), which starts in a third of the processor time, or by tsx where nothing is compiled.
 */
export function nodeScript(script: URL): string[] {
  const path = fileURLToPath(script);
  const folder = process.env["REDRIVE_COMPILED"];
  if (!folder) return ["--import", "tsx", path];
  return [join(folder, relative(ROOT, path)).replace(/\.ts$/, ".js")];
}
