import { parseArgs } from "node:util";
import { isScratchKind } from "../db/testing/scratch-server.ts";
import { runChaos } from "../worker/testing/chaos/run.ts";

/*
 * A fleet of three workers and two services under a program of faults, and every law checked at its end:
 * npm run chaos -- --minutes 2 --seed 7 [--server mysql | --database mysql://root@127.0.0.1:3306]
 * Without --database a private server is started, which is also restarted and made read-only: a MariaDB, or with --server
 * mysql a MySQL, from the programs on PATH. One JSON object on stdout; exit code 1 if a law was broken. The same seed makes
 * the same faults at the same moments.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    server: { type: "string", default: "mariadb" },
    database: { type: "string" },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
const { server, database } = values;
if (!(minutes > 0 && minutes <= 1_440) || !Number.isSafeInteger(seed) || !isScratchKind(server)) {
  console.error(
    "usage: npm run chaos -- [--minutes 0 to 1440] [--seed a whole number] [--server mariadb|mysql | --database url]",
  );
  process.exit(2);
}
console.error(`seed ${seed}`);
const report = await runChaos({ seconds: minutes * 60, seed, privateServer: server, url: database });
console.log(JSON.stringify(report));
if (report.broken.length > 0) process.exitCode = 1;
