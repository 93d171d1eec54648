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
  // This host only, unless its operator says otherwise: a proxy with TLS belongs in front of anything wider.
  const host = process.env.REDRIVE_CONSOLE_HOST || "127.0.0.1";
  const next = inRoot("node_modules", "next", "dist", "bin", "next");
  const { code } = await runCommand(
    process.execPath,
    [next, "start", "-H", host, "-p", process.env.PORT || "3000", ...process.argv.slice(2)],
    {
      output: "inherit",
      env: { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
      onSignal: "forward",
    },
  );
  process.exitCode = code;
});
