import { readSecret } from "./read-secret.ts";
import { runCli } from "./run-cli.ts";

// A reader that has seen enough (`| head`) closes the pipe; that is no failure of the command.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

/** The first Ctrl-C asks the command to end where nothing is lost; npm passes it on, so one may come twice at once. */
const SAME_SIGNAL_MS = 500;
function interrupted(): AbortSignal {
  const interrupt = new AbortController();
  let sinceMs = Number.POSITIVE_INFINITY;
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (interrupt.signal.aborted && performance.now() - sinceMs > SAME_SIGNAL_MS) process.exit(130);
      if (!interrupt.signal.aborted) sinceMs = performance.now();
      interrupt.abort();
    });
  }
  return interrupt.signal;
}

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
  interrupted,
  readSecret,
});
