import { ensureConsoleBuild, ensureServerBuild } from "./lib/build.mjs";
import { ensureChromium } from "./lib/chromium.mjs";
import { readServerVersion } from "./lib/handshake.mjs";
import { ensureNodeModules } from "./lib/install.mjs";
import { log, main, SetupError } from "./lib/log.mjs";
import { runPlaywright, runVitest } from "./lib/test-runners.mjs";
import { runPhase, summarise, verdictOf } from "./lib/test-summary.mjs";

const usage =
  "TEST_DATABASE_URLS names the servers to test on, separated by commas, such as " +
  "mysql://root@127.0.0.1:3306,mysql://root@127.0.0.1:3307";

/** What meets a database; how memory and whole fleets fare over time is watched in one run, not on each server. */
const PARTS = [
  ...["db", "worker", "examples", "app/_server"],
  ...["chaos", "soak"].map((name) => `--exclude=worker/engine/scenarios/${name}.test.ts`),
];

/**
 * What a person does in a browser that a server can answer in its own way: a few of them, or with
 * REDRIVE_MATRIX_BROWSER=all each, which takes five minutes a server. How pages look, fit and read aloud is the same on
 * each, and watched in one run.
 */
const BROWSER_PARTS = (
  process.env.REDRIVE_MATRIX_BROWSER === "all"
    ? "accounts archive audit bulk bulk-replay dashboard http overview reset routes security sign-in task-detail tasks tokens"
    : "dashboard http reset routes"
)
  .split(" ")
  .map((name) => `e2e/${name}.spec.ts`);
const LOOKS = "--grep-invert=accessib|axe|assistive|fits a screen";

await main(async () => {
  const urls = (process.env.TEST_DATABASE_URLS ?? "")
    .split(",")
    .map((url) => url.trim())
    .filter(Boolean);
  if (urls.length === 0) throw new SetupError(usage);
  await ensureNodeModules();
  const finished = [];
  for (const url of urls) {
    const { hostname, port } = parse(url);
    const version = await readServerVersion({ host: hostname, port: Number(port || 3306) });
    const name = `${version ?? "unreachable"} at ${hostname}:${port || 3306}`;
    finished.push(await runPhase(name, () => testOn(url, version)));
    finished.push(await runPhase(`browser, ${name}`, () => browseOn(url, version)));
  }
  console.log(`\n${summarise(finished).join("\n")}`);
  if (finished.some(({ verdict }) => verdict !== "passed")) process.exitCode = 1;
});

async function testOn(url, version) {
  return verdictOf(await runVitest(PARTS, environmentOf(url, version)), "there are no test files");
}

async function browseOn(url, version) {
  const env = { ...environmentOf(url, version), REDRIVE_CHROMIUM: await ensureChromium(log) };
  await ensureServerBuild();
  await ensureConsoleBuild();
  return verdictOf(await runPlaywright(env, [...BROWSER_PARTS, LOOKS]), "Playwright found no test");
}

function environmentOf(url, version) {
  if (!version) throw new SetupError("No MySQL or MariaDB server accepts connections there. Start it or leave it out.");
  log.note(`server version ${version}`);
  const env = {
    // The whole length of it is run by npm test.
    REDRIVE_CHAOS_SECONDS: "30",
    ...process.env,
    TEST_DATABASE_URL: url,
    NEXT_TELEMETRY_DISABLED: "1",
  };
  delete env.DATABASE_URL;
  return env;
}

/** An error names no more than the position, since a url may hold a password. */
function parse(url) {
  try {
    return new URL(url);
  } catch {
    throw new SetupError(`One entry of TEST_DATABASE_URLS is not a url. ${usage}`);
  }
}
