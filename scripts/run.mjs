import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { ensureServerBuild } from "./lib/build.mjs";
import { useRunningDatabase } from "./lib/database-url.mjs";
import { ensureNodeModules } from "./lib/install.mjs";
import { main, SetupError } from "./lib/log.mjs";
import { inRoot } from "./lib/paths.mjs";

let target = null;

await main(async () => {
  const [module, ...args] = process.argv.slice(2);
  if (!module) throw new SetupError("Usage: node scripts/run.mjs <module> [arguments], such as worker/main");
  await ensureNodeModules();
  await ensureServerBuild();
  const script = inRoot("dist", `${module}.js`);
  if (!existsSync(script)) throw new SetupError(`${script} does not exist: there is no module ${module}.ts to run.`);
  await useRunningDatabase();
  process.argv = [process.execPath, script, ...args];
  target = script;
});

if (target) await import(pathToFileURL(target).href);
