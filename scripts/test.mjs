import { existsSync, readdirSync } from "node:fs";
import { ensureConsoleBuild, ensureServerBuild } from "./lib/build.mjs";
import { ensureChromium } from "./lib/chromium.mjs";
import { runCommand } from "./lib/command.mjs";
import { ensureDatabase } from "./lib/database.mjs";
import { ensureNodeModules } from "./lib/install.mjs";
import { log, main, SetupError } from "./lib/log.mjs";
import { inRoot, packageCommand } from "./lib/paths.mjs";
import { runPlaywright, runVitest } from "./lib/test-runners.mjs";
import { runPhase, summarise, verdictOf } from "./lib/test-summary.mjs";

/** Tests must find their database only where it is meant for tests. */
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
delete env.DATABASE_URL;

/** Where instants are written, read and compared; not what is about dying processes, lost databases, plans or locks. */
const UNZONED = {
  "worker/engine/scenarios": "chaos crash* d1 d2 d3 e01 e02 e04 e06 e07 e10 e13 fleet outage s1 s2 soak",
  "worker/engine": "state-machine",
  "worker/duties": "archiver bulk-crash replay-crash scenarios/a1 scenarios/a3",
  db: "client password-hash migrate/migrate-process queries/explain* queries/lock-footprint",
  "app/_server": "fuzz oidc",
};
const ZONED = [
  ...["db/", "worker/engine/", "worker/duties/", "app/_server/"],
  ...Object.entries(UNZONED).flatMap(([folder, names]) =>
    names.split(" ").map((name) => `--exclude=${folder}/${name}.test.ts`),
  ),
];

const phases = {
  lint: async () => {
    const rules = await check("eslint", ["."]);
    const format = await check("prettier", ["--check", "--log-level", "warn", "."]);
    return { verdict: rules && format ? "passed" : "failed" };
  },
  types: async () => {
    await check("next", ["typegen"]);
    return { verdict: (await check("tsc", ["--noEmit"])) ? "passed" : "failed" };
  },
  build: async () => {
    await ensureServerBuild();
    return { verdict: "passed" };
  },
  unit: async () => verdictOf(await runVitest([], await withDatabase()), "there are no test files"),
  zone: async () => {
    const zoneEnv = { ...(await withDatabase()), TZ: "America/New_York", REDRIVE_TEST_ZONE: "+08:00" };
    return verdictOf(await runVitest(ZONED, zoneEnv), "there are no test files");
  },
  e2e: async () => {
    if (!hasSpecs()) return { verdict: "not run", reason: "there is no *.spec.ts below e2e/" };
    const chromium = await ensureChromium(log);
    await ensureServerBuild();
    await ensureConsoleBuild();
    const browserEnv = { ...(await withDatabase()), REDRIVE_CHROMIUM: chromium };
    return verdictOf(await runPlaywright(browserEnv), "Playwright found no test");
  },
};

await main(async () => {
  const names = chosenPhases(process.argv.slice(2));
  await ensureNodeModules();
  const finished = [];
  for (const name of names) finished.push(await runPhase(name, phases[name]));
  console.log(`\n${summarise(finished).join("\n")}`);
  if (finished.some(({ verdict }) => verdict === "failed")) process.exitCode = 1;
});

function chosenPhases(args) {
  const all = Object.keys(phases);
  if (args.length === 0) return all;
  const [option, list = ""] = args[0].split("=");
  const chosen = (list || (args[1] ?? "")).split(",").filter(Boolean);
  const unknown = chosen.filter((name) => !all.includes(name));
  if (option !== "--only" || chosen.length === 0 || unknown.length > 0) {
    throw new SetupError(`Usage: npm test -- --only ${all.join(",")} (any of them)`);
  }
  return all.filter((name) => chosen.includes(name));
}

async function withDatabase() {
  env.TEST_DATABASE_URL ||= (await ensureDatabase({ log })).url;
  return env;
}

async function check(command, args) {
  const { code } = await runCommand(packageCommand(command), args, { output: "inherit", env });
  if (code !== 0) log.warn(`${command} ${args.join(" ")} ended with exit code ${code}`);
  return code === 0;
}

function hasSpecs() {
  return (
    existsSync(inRoot("e2e")) &&
    readdirSync(inRoot("e2e"), { recursive: true }).some((name) => /\.spec\.ts$/.test(name))
  );
}
