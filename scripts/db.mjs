import { ensureDatabase, findRunningDatabase, stopDatabase } from "./lib/database.mjs";
import { log, main, SetupError } from "./lib/log.mjs";

const verbs = {
  async start() {
    if (process.env.DATABASE_URL) {
      log.step("DATABASE_URL is set and is the database in use; the private one is not started.");
      return;
    }
    const { url, kind } = await ensureDatabase({ log });
    log.step(`The private database (${kind}) is running`);
    console.log(url);
  },
  async stop() {
    const stopped = await stopDatabase();
    log.step(stopped ? "The private database has stopped; its data stays." : "The private database was not running.");
  },
  async url() {
    const running = await findRunningDatabase();
    if (!running) throw new SetupError("The private database is not running; `npm run db:start` starts it.");
    console.log(running.url);
  },
  async status() {
    const running = await findRunningDatabase();
    console.log(running ? `running ${running.kind} ${running.url}` : "stopped");
    if (!running) process.exitCode = 3;
  },
};

await main(async () => {
  const verb = verbs[process.argv[2]];
  if (!verb) throw new SetupError("Usage: node scripts/db.mjs start | stop | url | status");
  await verb();
});
