import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { monotonicMs } from "../worker/testing/child-engine.ts";
import type { Usage } from "./meter.ts";

const MAIN = fileURLToPath(new URL("./worker-child.ts", import.meta.url));

/** What a worker process is told when it starts. */
export interface WorkerPlan {
  /** A name of `contestants/named.ts`. */
  readonly contestant: string;
  readonly store: string;
  readonly concurrency: number;
  /** Whether its handlers never return. */
  readonly hangs?: boolean;
}

/** What a worker process says. */
export type WorkerWord =
  | { readonly say: "ready" }
  | { readonly say: "started"; readonly seqs: readonly number[] }
  | { readonly say: "stopped"; readonly used: Usage };

/** Processes that run a contestant's due tasks, each under its own engine, told by this one when to begin. */
export class WorkerProcesses {
  /** The tasks whose handlers were called, in the order this process heard of it. */
  readonly starts: number[] = [];
  /** The same, each once. */
  readonly started = new Set<number>();
  readonly #children: readonly ChildProcess[];
  #onFirstStart: () => void = () => undefined;
  #lastStartMs = Number.NaN;

  private constructor(children: readonly ChildProcess[]) {
    this.#children = children;
    for (const child of children) {
      child.on("message", (word: WorkerWord) => {
        if (word.say !== "started") return;
        if (this.starts.length === 0) this.#onFirstStart();
        for (const seq of word.seqs) this.started.add(seq);
        this.starts.push(...word.seqs);
        this.#lastStartMs = monotonicMs();
      });
    }
  }

  /** Resolves when all of them have opened the store. */
  static async start(count: number, plan: WorkerPlan): Promise<WorkerProcesses> {
    const children = Array.from({ length: count }, () =>
      fork(MAIN, [JSON.stringify(plan)], {
        execArgv: ["--import", "tsx"],
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      }),
    );
    const processes = new WorkerProcesses(children);
    try {
      await Promise.all(children.map((child) => heard(child, "ready")));
      return processes;
    } catch (error) {
      await processes.kill();
      throw error;
    }
  }

  onFirstStart(listener: () => void): void {
    this.#onFirstStart = listener;
  }

  /** Milliseconds since a handler was last called; NaN: none was. */
  get quietMs(): number {
    return monotonicMs() - this.#lastStartMs;
  }

  work(): void {
    for (const child of this.#children) child.send("work");
  }

  /** Stops them in order and answers what they used since they began to work. */
  async stop(): Promise<Usage> {
    const words = this.#children.map((child) => heard(child, "stopped"));
    for (const child of this.#children) child.send("stop");
    const used = (await Promise.all(words)).map((word) => word.used);
    const sum = (name: keyof Usage) => used.reduce((total, one) => total + one[name], 0);
    return { statements: sum("statements"), commits: sum("commits"), nodeCpuSeconds: sum("nodeCpuSeconds") };
  }

  /** SIGKILL to those that still run. */
  async kill(): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      }),
    );
  }
}

function heard<Say extends WorkerWord["say"]>(child: ChildProcess, say: Say): Promise<WorkerWord & { say: Say }> {
  return new Promise((resolve, reject) => {
    const onMessage = (word: WorkerWord): void => {
      if (word.say === say) settle(() => resolve(word as WorkerWord & { say: Say }));
    };
    const onExit = (): void => settle(() => reject(new Error(`a worker process ended before it was ${say}`)));
    const settle = (answer: () => void): void => {
      child.off("message", onMessage);
      child.off("exit", onExit);
      answer();
    };
    child.on("message", onMessage);
    child.on("exit", onExit);
  });
}
