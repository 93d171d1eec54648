import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mysql from "mysql2/promise";
import { freePort } from "./free-port.ts";

const START_LIMIT_MS = 60_000;

/** The programs of each server, as they are called on PATH: the first makes a data directory, the second serves it. */
const PROGRAMS = {
  mariadb: {
    install: "mariadb-install-db",
    installArguments: ["--auth-root-authentication-method=normal", "--skip-test-db", "--force"],
    serve: "mariadbd",
    serveArguments: [],
  },
  mysql: {
    install: "mysqld",
    installArguments: ["--initialize-insecure"],
    serve: "mysqld",
    serveArguments: ["--mysqlx=OFF"],
  },
} as const;
export type ScratchKind = keyof typeof PROGRAMS;

export function isScratchKind(text: string): text is ScratchKind {
  return Object.hasOwn(PROGRAMS, text);
}

/**
 * A throw-away MariaDB or MySQL of one test, from the programs on PATH, on a free port and in a temporary directory: the
 * test may stop, kill or spoil it. Root has no password; only this machine reaches it.
 */
export class ScratchServer {
  readonly port: number;
  readonly #directory: string;
  readonly #kind: ScratchKind;
  #process: ChildProcess | undefined;

  private constructor(port: number, directory: string, kind: ScratchKind) {
    this.port = port;
    this.#directory = directory;
    this.#kind = kind;
  }

  /** True if MariaDB's programs are on PATH. */
  static get isPossible(): boolean {
    const { install, serve } = PROGRAMS.mariadb;
    return [serve, install].every((name) => spawnSync(name, ["--version"]).error === undefined);
  }

  /** Makes the data directory and starts the server. @throws Error with the end of its log if it does not come up. */
  static async create(kind: ScratchKind = "mariadb"): Promise<ScratchServer> {
    const directory = mkdtempSync(join(tmpdir(), "redrive-scratch-"));
    const server = new ScratchServer(await freePort(), directory, kind);
    mkdirSync(server.#temporaryFolder);
    const { install, installArguments } = PROGRAMS[kind];
    const { status, stderr, error } = spawnSync(
      install,
      [
        ...["--no-defaults", ...installArguments, ...userArguments()],
        ...[`--datadir=${server.#dataDirectory}`, `--tmpdir=${server.#temporaryFolder}`],
      ],
      { encoding: "utf8" },
    );
    if (status !== 0) throw new Error(`${install} failed: ${error ? error.message : stderr}`);
    await server.start();
    return server;
  }

  /** Where a database of this server is; the name is ignored by `createTestDatabase({ base })`. */
  get url(): string {
    return `mysql://root@127.0.0.1:${this.port}`;
  }

  /** Starts the server again on the same port and data, and waits until it answers. */
  async start(): Promise<void> {
    const log = join(this.#directory, "server.log");
    const { serve, serveArguments } = PROGRAMS[this.#kind];
    const child = spawn(
      serve,
      [
        ...["--no-defaults", ...serveArguments, ...userArguments()],
        ...[`--datadir=${this.#dataDirectory}`, `--log-error=${log}`],
        ...[`--socket=${join(this.#directory, "s.sock")}`, `--pid-file=${join(this.#directory, "pid")}`],
        `--tmpdir=${this.#temporaryFolder}`,
        ...[`--port=${this.port}`, "--bind-address=127.0.0.1", "--innodb-buffer-pool-size=64M"],
      ],
      { stdio: "ignore" },
    );
    this.#process = child;
    const until = performance.now() + START_LIMIT_MS;
    while (!(await this.#answers())) {
      if (child.exitCode !== null || performance.now() > until) {
        throw new Error(`the scratch server did not start:\n${readFileSync(log, "utf8").slice(-2_000)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Stops in order: connections are closed, data is flushed. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  /** Stops like a power cut. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Runs one statement as root. */
  async run(text: string): Promise<void> {
    const connection = await mysql.createConnection({ host: "127.0.0.1", port: this.port, user: "root" });
    try {
      await connection.query(text);
    } finally {
      await connection.end();
    }
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #dataDirectory(): string {
    return join(this.#directory, "data");
  }

  /** Its own: at its start MariaDB deletes the temporary tables in the folder that it uses, whosever they are. */
  get #temporaryFolder(): string {
    return join(this.#directory, "tmp");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill(signal);
    await ended;
  }

  async #answers(): Promise<boolean> {
    return this.run("SELECT 1").then(
      () => true,
      () => false,
    );
  }
}

/** A server started by root refuses to run without an account to run as. */
function userArguments(): string[] {
  return process.getuid?.() === 0 ? ["--user=root"] : [];
}
