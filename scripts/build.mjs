import { ensureConsoleBuild, ensureServerBuild } from "./lib/build.mjs";
import { ensureNodeModules } from "./lib/install.mjs";
import { main } from "./lib/log.mjs";

await main(async () => {
  await ensureNodeModules();
  await ensureServerBuild();
  await ensureConsoleBuild();
});
