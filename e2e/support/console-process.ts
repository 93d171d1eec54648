import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const START_LIMIT_MS = 30_000;
const PORTS_TRIED_MAX = 3;

export interface ConsoleProcess {
  readonly baseUrl: string;
  /** The end of what it has logged. */
  log(): string;
  stop(): Promise<void>;
}

/**
 * Starts the built console on a free port of 127.0.0.1 and waits until it answers; on another port if somebody else has
 * taken that one meanwhile.
 */
export async function startConsole(
  environment: Readonly<Record<string, string>>,
  { basePath = "" }: { readonly basePath?: string } = {},
): Promise<ConsoleProcess> {
  for (let tries = 1; ; tries++) {
    try {
      return await startOn(await freePort(), environment, basePath);
    } catch (error) {
      if (tries === PORTS_TRIED_MAX || !String(error).includes("EADDRINUSE")) throw error;
    }
  }
}

async function startOn(
  port: number,
  environment: Readonly<Record<string, string>>,
  basePath: string,
): Promise<ConsoleProcess> {
  const child = spawn(
    process.execPath,
    ["node_modules/next/dist/bin/next", "start", "-H", "127.0.0.1", "-p", String(port)],
    {
      cwd: root,
      stdio: ["ignore", "ignore", "pipe"],
      env: {
        ...process.env,
        NODE_ENV: "production",
        NEXT_TELEMETRY_DISABLED: "1",
        ...environment,
      },
    },
  );
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors = `${errors}${chunk.toString()}`.slice(-4_000)));
  const baseUrl = `http://127.0.0.1:${port}`;
  try {
    await untilAnswering(`${baseUrl}${basePath}/icon.svg`, child);
  } catch (error) {
    await stop(child);
    throw new Error(`the console did not start: ${errors}`, { cause: error });
  }
  return { baseUrl, log: () => errors, stop: () => stop(child) };
}

async function untilAnswering(url: string, child: ChildProcess): Promise<void> {
  const limit = AbortSignal.timeout(START_LIMIT_MS);
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with exit code ${child.exitCode}`);
    limit.throwIfAborted();
    const answer = await fetch(url, { signal: limit }).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), 5_000);
  await ended;
  clearTimeout(force);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}
