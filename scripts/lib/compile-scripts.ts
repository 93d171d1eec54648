import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDERS = ["db", "worker", "examples"];

/**
 * Compiles, before a test run and without checking types, what tests start in processes of their own: these are hundreds,
 * and compiling in each of them costs more than most do. Each run has a folder of its own, which goes with it.
 */
export default function compileScripts(): () => void {
  const folder = join(ROOT, ".redrive", `compiled-${process.pid}`);
  for (const path of FOLDERS.flatMap(filesBelow)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    if (/\.test\.ts$/.test(path)) continue;
    if (path.endsWith(".ts")) writeFileSync(target.replace(/\.ts$/, ".js"), compile(path));
    else copyFileSync(join(ROOT, path), target);
  }
  process.env["REDRIVE_COMPILED"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

function compile(path: string): string {
  return ts.transpileModule(readFileSync(join(ROOT, path), "utf8"), {
    fileName: path,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      rewriteRelativeImportExtensions: true,
      verbatimModuleSyntax: true,
    },
  }).outputText;
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(join(ROOT, path)).isFile());
}
