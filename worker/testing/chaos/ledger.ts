import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { nodeScript } from "../../../db/testing/node-script.ts";

const MAIN = nodeScript(new URL("./ledger-process.ts", import.meta.url));

/** One line of the ledger; `at` by the machine's wall clock, which no fault steps. */
export type LedgerLine = { readonly at: number } & LedgerNote;

export type LedgerNote =
  /** A handler has been called. */
  | {
      readonly kind: "call";
      readonly id: string;
      readonly eventType: string;
      readonly claimNo: number;
      readonly retryCount: number;
      readonly owner: string;
    }
  /** Its call has come to an end. */
  | { readonly kind: "end"; readonly id: string; readonly claimNo: number; readonly hasThrown: boolean }
  /** A service was told that its transaction has committed. */
  | { readonly kind: "told"; readonly name: string }
  /** A business transaction failed with this error. */
  | { readonly kind: "error"; readonly code: string }
  /** A process saw something that must never be. */
  | { readonly kind: "broken"; readonly law: number; readonly what: string };

/** The ledger as the run that owns it sees it. */
export class LedgerServer {
  readonly port: number;
  readonly #directory: string;
  readonly #process: ChildProcess;

  private constructor(port: number, directory: string, child: ChildProcess) {
    this.port = port;
    this.#directory = directory;
    this.#process = child;
  }

  static async start(): Promise<LedgerServer> {
    const directory = mkdtempSync(join(tmpdir(), "redrive-ledger-"));
    const file = join(directory, "ledger");
    writeFileSync(file, "");
    const child = spawn(process.execPath, [...MAIN, file], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    return new LedgerServer(Number(line), directory, child);
  }

  /** While this file is not there, handlers that wait for it wait. */
  get gate(): string {
    return join(this.#directory, "gate");
  }

  openGate(): void {
    writeFileSync(this.gate, "");
  }

  /** @throws Error if the ledger's own process has ended: what it holds is then not the whole truth. */
  read(): LedgerLine[] {
    if (this.#process.exitCode !== null) throw new Error("the ledger has ended by itself");
    const lines = readFileSync(join(this.#directory, "ledger"), "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as LedgerLine);
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, "close");
      this.#process.kill();
      await ended;
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** The ledger as a process that writes to it sees it. */
export class LedgerClient {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, () => void>();
  #last = 0;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setNoDelay(true);
    createInterface({ input: this.#socket }).on("line", (text) => {
      const n = Number(text);
      this.#waiting.get(n)?.();
      this.#waiting.delete(n);
    });
  }

  /** Resolves when the line is in the file. */
  note(line: LedgerNote): Promise<void> {
    const n = ++this.#last;
    return new Promise((resolve) => {
      this.#waiting.set(n, resolve);
      this.#socket.write(`${JSON.stringify({ n, ...line })}\n`);
    });
  }

  end(): void {
    this.#socket.end();
  }
}
