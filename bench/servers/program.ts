import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, chownSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:net";
import { waitFor } from "../../worker/testing/wait-for.ts";
import type { OwnServer } from "./server.ts";

const START_LIMIT_MS = 30_000;

/** The account a program runs as; undefined: the one of this process. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The program of that name on PATH or in one of the further folders; undefined if it is not installed. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  return [...(process.env["PATH"] ?? "").split(":"), ...folders]
    .map((folder) => join(folder, name))
    .find((path) => isExecutable(path));
}

/** Folders `<parent>/<version>/bin`, the greatest version first. */
export function versionFolders(parent: string): string[] {
  try {
    const versions = readdirSync(parent).filter((name) => /^\d+$/.test(name));
    return versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(parent, version, "bin"));
  } catch {
    return [];
  }
}

/** A system account by name; undefined if there is none. */
export function accountOf(name: string): Account | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((one) => one.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

/** A new empty directory that the account owns. */
export function ownDirectory(name: string, account?: Account): string {
  const directory = mkdtempSync(join(tmpdir(), `redrive-bench-${name}-`));
  if (account) chownSync(directory, account.uid, account.gid);
  return directory;
}

/** Runs the program until `stop()`, and waits until it accepts connections. It ends with this process, and so do its files. */
export async function startProgram(
  program: string,
  args: readonly string[],
  options: { readonly port: number; readonly url: string; readonly directory: string; readonly account?: Account },
): Promise<OwnServer> {
  const { port, url, directory, account } = options;
  const child = spawn(program, args, { cwd: directory, stdio: ["ignore", "pipe", "pipe"], ...account });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data: Buffer) => {
      log = (log + data.toString()).slice(-2_000);
    });
  }
  const end = () => {
    child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once("exit", end);
  const server = {
    url,
    stop: async () => {
      process.off("exit", end);
      await endProgram(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
  try {
    await waitFor(
      `${program} on port ${port}`,
      async () => {
        if (child.exitCode !== null) throw new Error(`${program} ended:\n${log}`);
        return accepts(port);
      },
      START_LIMIT_MS,
    );
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** SIGINT is what both PostgreSQL (fast shutdown) and Redis take as "now, in order". */
async function endProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGINT");
  await ended;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
