import { runCommand } from "./lib/command.mjs";
import { ensureConsoleBuild, ensureServerBuild } from "./lib/build.mjs";
import { useRunningDatabase } from "./lib/database-url.mjs";
import { ensureNodeModules } from "./lib/install.mjs";
import { main } from "./lib/log.mjs";
import { inRoot } from "./lib/paths.mjs";

await main(async () => {
  await ensureNodeModules();
  await ensureServerBuild();
  await ensureConsoleBuild();
  await useRunningDatabase();
  const next = inRoot("node_modules", "next", "dist", "bin", "next");
  const { code } = await runCommand(
    process.execPath,
    [next, "start", "-p", process.env.PORT || "3000", ...process.argv.slice(2)],
    {
      output: "inherit",
      env: { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
      onSignal: "forward",
    },
  );
  process.exitCode = code;
});
