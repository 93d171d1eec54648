import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mysql from "mysql2/promise";
import { freePort } from "./free-port.ts";

const START_LIMIT_MS = 60_000;

/**
 * A throw-away MariaDB of one test, from `mariadbd` on PATH, on a free port and in a temporary directory: the test may
 * stop, kill or spoil it. Root has no password; only this machine reaches it.
 */
export class ScratchServer {
  readonly port: number;
  readonly #directory: string;
  #process: ChildProcess | undefined;

  private constructor(port: number, directory: string) {
    this.port = port;
    this.#directory = directory;
  }

  /** True if MariaDB's programs are on PATH. */
  static get isPossible(): boolean {
    return ["mariadbd", "mariadb-install-db"].every((name) => spawnSync(name, ["--version"]).error === undefined);
  }

  /** Makes the data directory and starts the server. @throws Error with the end of its log if it does not come up. */
  static async create(): Promise<ScratchServer> {
    const directory = mkdtempSync(join(tmpdir(), "redrive-scratch-"));
    const server = new ScratchServer(await freePort(), directory);
    const { status, stderr } = spawnSync(
      "mariadb-install-db",
      [
        ...["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", "--force"],
        ...[`--datadir=${server.#dataDirectory}`, ...userArguments()],
      ],
      { encoding: "utf8" },
    );
    if (status !== 0) throw new Error(`mariadb-install-db failed: ${stderr}`);
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
    const child = spawn(
      "mariadbd",
      [
        ...["--no-defaults", ...userArguments(), `--datadir=${this.#dataDirectory}`, `--log-error=${log}`],
        ...[`--socket=${join(this.#directory, "s.sock")}`, `--pid-file=${join(this.#directory, "pid")}`],
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
