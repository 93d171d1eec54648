import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { nodeScript } from "../../db/testing/node-script.ts";
import type {
  EngineHealth,
  EngineTuning,
  EnqueueTask,
  EnqueueVerdict,
  HandlerOptions,
  StopReport,
} from "../engine/index.ts";
import { waitFor } from "./wait-for.ts";

/** What a handler of the child does, one step after the other. */
export type Step =
  | { readonly do: "sleep"; readonly ms: number }
  | { readonly do: "fail"; readonly message?: string }
  /** Fails while no attempt has failed yet. */
  | { readonly do: "failOnce" }
  | { readonly do: "hang" }
  | { readonly do: "exit"; readonly code?: number }
  /** Keeps the event loop busy. */
  | { readonly do: "block"; readonly ms: number }
  /** Waits until the file exists. */
  | { readonly do: "gate"; readonly file: string }
  | { readonly do: "untilAborted" }
  /** Starts a promise that nobody awaits and that rejects after so long. */
  | { readonly do: "strayRejection"; readonly file: string }
  /** Holds a connection of the service's pool for so long. */
  | { readonly do: "serviceConnection"; readonly ms: number }
  | { readonly do: "serviceQuery" }
  /** `ctx.transaction` with a row in the table `effect`, held open for `ms` before its commit. */
  | { readonly do: "transaction"; readonly ms?: number };

export interface ChildType extends Omit<HandlerOptions, "handle" | "schema" | "preCheckSkip" | "classifyError"> {
  /** What the handler does unless the task's key or payload (`{ steps }`) says otherwise. */
  readonly steps?: readonly Step[];
  readonly keys?: Readonly<Record<string, readonly Step[]>>;
}

export interface ChildConfig {
  readonly url: string;
  /** Where the service's own pool goes, if elsewhere than the engine. */
  readonly serviceUrl?: string;
  readonly serviceConnections?: number;
  readonly serviceConnectTimeoutMs?: number;
  readonly engine?: Partial<EngineTuning>;
  readonly types: readonly ChildType[];
  /** Grace time after SIGTERM. Default 30,000. */
  readonly graceMs?: number;
  /** Engine events, or "call", that are not reported, where there are too many. */
  readonly quiet?: readonly string[];
}

/** Transactions of a service with a business row and so many tasks each. */
export interface LoadRequest {
  readonly prefix: string;
  readonly eventTypes: readonly string[];
  readonly transactions: number;
  readonly tasksEach: number;
  readonly atOnce: number;
  readonly steps?: readonly Step[];
  readonly perSecond?: number;
}

export interface LoadResult {
  readonly committed: number;
  readonly tasks: number;
  /** Errors of the transactions by number or code. */
  readonly errors: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  readonly ms: number;
}

/** One line of the child. `at` is the machine's monotonic clock in milliseconds, the same for all processes. */
export interface Line {
  readonly kind: string;
  readonly at: number;
  readonly [field: string]: unknown;
}

export interface HandlerCall extends Line {
  readonly phase: "start" | "end" | "abort";
  readonly id: string;
  readonly eventType: string;
  readonly bizKey: string;
  readonly claimNo: number;
  readonly retryCount: number;
  readonly recycleCount: number;
  readonly pid: number;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const MAIN = nodeScript(new URL("./child-engine-main.ts", import.meta.url));
const living = new Set<ChildEngine>();

/** The machine's monotonic clock in milliseconds, comparable with every line's `at`. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Ends every child that a test left behind; for `afterEach`. */
export async function endChildren(): Promise<void> {
  await Promise.all([...living].map((child) => child.kill("SIGKILL")));
}

/** A process that runs one engine, seen from its parent. */
export class ChildEngine {
  readonly lines: Line[] = [];
  readonly stderr: string[] = [];
  /** Resolves when the process has ended. */
  readonly ended: Promise<ChildEnd>;
  readonly #process: ChildProcess;
  #commands = 0;

  private constructor(config: ChildConfig, nodeArguments: readonly string[]) {
    const env = { ...process.env, CHILD_ENGINE: JSON.stringify(config) };
    const child = spawn(process.execPath, [...nodeArguments, ...MAIN], {
      env,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#process = child;
    this.ended = new Promise((resolve) => {
      child.once("close", (code, signal) => {
        living.delete(this);
        resolve({ code, signal });
      });
    });
    child.stdin?.on("error", () => undefined);
    if (child.stdout) createInterface({ input: child.stdout }).on("line", (line) => this.#heard(line));
    child.stderr?.on("data", (data: Buffer) => this.stderr.push(data.toString()));
    living.add(this);
  }

  /** Starts the process and resolves when its engine has started. */
  static async start(config: ChildConfig, nodeArguments: readonly string[] = []): Promise<ChildEngine> {
    const child = new ChildEngine(config, nodeArguments);
    await child.waitForLine("ready", (line) => line.kind === "ready", 30_000);
    return child;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get owner(): string {
    return String(this.lines.find((line) => line.kind === "ready")?.["owner"]);
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Engine events of one name. */
  events(name: string): Line[] {
    return this.lines.filter((line) => line.kind === "event" && line["name"] === name);
  }

  /** Handler calls in one phase. */
  calls(phase: HandlerCall["phase"]): HandlerCall[] {
    return this.lines.filter((line) => line.kind === "call" && line["phase"] === phase) as HandlerCall[];
  }

  /** Waits for a line that fulfils the condition; fails at once if the process ends without it. */
  async waitForLine(what: string, condition: (line: Line) => boolean, timeoutMs?: number): Promise<Line> {
    let seen = 0;
    return this.waitUntil(
      what,
      () => {
        for (; seen < this.lines.length; seen++) {
          const line = this.lines[seen];
          if (line && condition(line)) return line;
        }
        return undefined;
      },
      timeoutMs,
    );
  }

  /** Waits for a condition on this child; fails at once if the process ends without it. */
  async waitUntil<Result>(
    what: string,
    look: () => Result | false | undefined | Promise<Result | false | undefined>,
    timeoutMs?: number,
  ): Promise<Result> {
    return waitFor(
      what,
      async () => {
        const wasRunning = this.isRunning;
        const found = await look();
        if (found !== false && found !== undefined) return found;
        if (!wasRunning) {
          await this.ended;
          const last = await look();
          if (last !== false && last !== undefined) return last;
          throw new Error(`process ${this.pid} ended before: ${what}\n${this.stderr.join("")}`);
        }
        return undefined;
      },
      timeoutMs,
    );
  }

  enqueue(tasks: readonly EnqueueTask[], timeoutMs?: number): Promise<EnqueueVerdict[]> {
    return this.#command("enqueue", tasks, timeoutMs) as Promise<EnqueueVerdict[]>;
  }

  load(request: LoadRequest, timeoutMs = 120_000): Promise<LoadResult> {
    return this.#command("load", request, timeoutMs) as Promise<LoadResult>;
  }

  health(): Promise<EngineHealth> {
    return this.#command("health", null) as Promise<EngineHealth>;
  }

  servicePool(): Promise<{ works: boolean; all: number; free: number }> {
    return this.#command("servicePool", null) as Promise<{ works: boolean; all: number; free: number }>;
  }

  /** Heap after a collection (with --expose-gc) and what keeps the process alive. */
  resources(): Promise<{ heapBytes: number; active: string[] }> {
    return this.#command("resources", null) as Promise<{ heapBytes: number; active: string[] }>;
  }

  /** Stops the engine in order; the process then ends by itself. */
  stop(graceMs = 30_000): Promise<StopReport> {
    return this.#command("stop", { graceMs }, graceMs + 30_000) as Promise<StopReport>;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<ChildEnd> {
    this.#process.kill(signal);
    return this.ended;
  }

  async #command(command: string, input: unknown, timeoutMs = 60_000): Promise<unknown> {
    const n = ++this.#commands;
    this.#process.stdin?.write(`${JSON.stringify({ n, command, input })}\n`);
    const isReply = (line: Line): boolean => line.kind === "reply" && line["n"] === n;
    const reply = await this.waitForLine(`answer to ${command}`, isReply, timeoutMs);
    const error = reply["error"] as { message: string } | undefined;
    if (error) throw Object.assign(new Error(error.message), error);
    return reply["value"];
  }

  #heard(text: string): void {
    this.lines.push(JSON.parse(text) as Line);
  }
}
