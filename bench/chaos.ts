import { parseArgs } from "node:util";
import { runChaos } from "../worker/testing/chaos/run.ts";

/*
 * A fleet of three workers and two services under a program of faults, and every law checked at its end:
 * npm run chaos -- --minutes 2 --seed 7 [--database mysql://root@127.0.0.1:3306]
 * Without --database a private MariaDB is started, which is also restarted and made read-only. One JSON object on stdout;
 * exit code 1 if a law was broken. The same seed makes the same faults at the same moments.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    database: { type: "string" },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (!(minutes > 0 && minutes <= 1_440) || !Number.isSafeInteger(seed)) {
  console.error("usage: npm run chaos -- [--minutes 0 to 1440] [--seed a whole number] [--database url]");
  process.exit(2);
}
console.error(`seed ${seed}`);
const report = await runChaos({ seconds: minutes * 60, seed, url: values.database });
console.log(JSON.stringify(report));
if (report.broken.length > 0) process.exitCode = 1;
