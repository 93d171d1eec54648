import { type ChildProcess, spawn } from "node:child_process";
import { nodeScript } from "../../db/testing/node-script.ts";
import { waitFor } from "./wait-for.ts";

const MAIN = nodeScript(new URL("../main.ts", import.meta.url));

/** A line of the worker's log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** The worker as an operating system runs it: environment in, log lines and an exit code out. */
export class WorkerProcess {
  readonly lines: LogLine[] = [];
  /** What was written that is no log line, standard error included. */
  plain = "";
  /** Undefined while it runs; a signal's name if one ended it. */
  exit: number | string | undefined;
  readonly #child: ChildProcess;

  /** @param env its whole environment beside PATH and NODE_ENV; WORKER_PORT is 0 unless it is set. */
  constructor(env: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [...MAIN], {
      env: { PATH: process.env["PATH"] ?? "", NODE_ENV: "production", WORKER_PORT: "0", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let rest = "";
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const parts = (rest + text).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) this.#read(part);
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.plain += text;
    });
    this.#child.on("close", (code, signal) => {
      this.exit = code ?? signal ?? "unknown";
    });
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async exited(timeoutMs?: number): Promise<number | string> {
    await this.#until("the worker to exit", () => this.exit !== undefined, timeoutMs);
    return this.exit ?? "unknown";
  }

  /** The first log line with this message. */
  async line(message: string): Promise<LogLine> {
    await this.#until(`the line "${message}"`, () => this.lines.some((line) => line.msg === message));
    const line = this.lines.find((candidate) => candidate.msg === message);
    if (!line) throw new Error(`no line "${message}"`);
    return line;
  }

  async url(path: string): Promise<string> {
    const { port } = await this.line("worker listens");
    return `http://127.0.0.1:${String(port)}${path}`;
  }

  /** Waits until GET answers this status. */
  async answers(path: string, status: number): Promise<void> {
    const url = await this.url(path);
    await this.#until(`${path} to answer ${status}`, async () => (await fetch(url)).status === status, 30_000);
  }

  async #until(what: string, look: () => Promise<boolean> | boolean, timeoutMs = 60_000): Promise<void> {
    await waitFor(what, look, timeoutMs).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.plain}\n${this.lines.map((line) => JSON.stringify(line)).join("\n")}`);
    });
  }

  #read(text: string): void {
    try {
      this.lines.push(JSON.parse(text) as LogLine);
    } catch {
      this.plain += `${text}\n`;
    }
  }
}
