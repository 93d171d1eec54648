import { drizzle } from "drizzle-orm/mysql2";
import mysql from "mysql2/promise";
import { pino } from "pino";
import { createEngine } from "../../worker/engine/index.ts";
import { createTables } from "./create-tables.ts";
import { EnvError, parseServiceEnv } from "./env.ts";
import orderHandlers from "./handlers.ts";
import { closeServer, listen } from "./json-http.ts";
import { createOrderServer } from "./order-server.ts";

const GRACE_MS = 10_000;

/** The process: settings, database, engine, server; ends on SIGTERM or SIGINT without losing a request or a task. */
async function main(): Promise<void> {
  const env = parseServiceEnv(process.env);
  const log = pino({ level: env.LOG_LEVEL });
  const pool = mysql.createPool({ uri: env.DATABASE_URL, connectionLimit: 32 });
  const db = drizzle(pool);
  await createTables(db);
  const handlers = await orderHandlers(process.env);
  const engine = createEngine({ database: db, handlers, log, origin: "order-service", poll: env.ORDER_SERVICE_POLLS });
  await engine.start();
  const server = createOrderServer(engine, log);
  const port = await listen(server, env.ORDER_SERVICE_PORT);
  log.info({ port }, `order service listens on http://127.0.0.1:${port}`);

  const stop = async (): Promise<void> => {
    await closeServer(server);
    const report = await engine.stop({ graceMs: GRACE_MS });
    await pool.end();
    log.info(report, "order service has stopped");
  };
  let isStopping = false;
  const onSignal = (): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "order service did not stop in order");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

main().catch((error: unknown) => {
  console.error(error instanceof EnvError ? error.message : error);
  process.exit(1);
});
