import { createDownstream } from "./downstream-server.ts";
import { EnvError, parseDownstreamEnv } from "./env.ts";
import { listen } from "./json-http.ts";
import { Ledger } from "./ledger.ts";

/** The process: settings from the environment, ends on SIGTERM or SIGINT with its ledger written. */
async function main(): Promise<void> {
  const env = parseDownstreamEnv(process.env);
  const ledger = new Ledger(env.DOWNSTREAM_LEDGER);
  const server = createDownstream({ ledger, rates: env.DOWNSTREAM_RATES, slowMs: env.DOWNSTREAM_SLOW_MS });
  const port = await listen(server, env.DOWNSTREAM_PORT);
  console.log(`downstream listens on http://127.0.0.1:${port}, ledger ${env.DOWNSTREAM_LEDGER}`);
  const stop = (): void => {
    server.close();
    // Calls that hang on purpose would never end by themselves.
    server.closeAllConnections();
    ledger.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

main().catch((error: unknown) => {
  console.error(error instanceof EnvError ? error.message : error);
  process.exitCode = 1;
});
