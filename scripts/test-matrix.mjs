import { readServerVersion } from "./lib/handshake.mjs";
import { ensureNodeModules } from "./lib/install.mjs";
import { log, main, SetupError } from "./lib/log.mjs";
import { runVitest } from "./lib/test-runners.mjs";
import { runPhase, summarise, verdictOf } from "./lib/test-summary.mjs";

const usage =
  "TEST_DATABASE_URLS names the servers to test on, separated by commas, such as " +
  "mysql://root@127.0.0.1:3306,mysql://root@127.0.0.1:3307";

/** What meets a database; how memory and whole fleets fare over time is watched in one run, not on each server. */
const PARTS = [
  ...["db", "worker", "examples", "app/_server"],
  ...["chaos", "soak"].map((name) => `--exclude=worker/engine/scenarios/${name}.test.ts`),
];

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
  }
  console.log(`\n${summarise(finished).join("\n")}`);
  if (finished.some(({ verdict }) => verdict !== "passed")) process.exitCode = 1;
});

async function testOn(url, version) {
  if (!version) throw new SetupError("No MySQL or MariaDB server accepts connections there. Start it or leave it out.");
  log.note(`server version ${version}`);
  const env = { ...process.env, TEST_DATABASE_URL: url };
  delete env.DATABASE_URL;
  return verdictOf(await runVitest(PARTS, env), "there are no test files");
}

/** An error names no more than the position, since a url may hold a password. */
function parse(url) {
  try {
    return new URL(url);
  } catch {
    throw new SetupError(`One entry of TEST_DATABASE_URLS is not a url. ${usage}`);
  }
}
