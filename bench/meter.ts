import { channel } from "node:diagnostics_channel";
import type { Contestant } from "./contestant.ts";
import { type Figures, rounded } from "./figures.ts";
import { cpuSecondsOf, pidListeningOn } from "./server-process.ts";

/** What a process has used so far; of several, the sum. */
export interface Usage {
  readonly statements: number;
  readonly commits: number;
  readonly nodeCpuSeconds: number;
}

export interface Reading extends Usage {
  readonly atMs: number;
  readonly serverCpuSeconds: number | undefined;
}

/**
 * Counts what noise cannot change (statements and commits of this process, told by the driver) and reads CPU time: of this
 * process with all its threads, and of the database server if it runs here. The server's also holds what it did for others.
 */
export class Meter {
  readonly #serverPid: number | undefined;
  readonly #commitsItself: Contestant["commitsItself"];
  #statements = 0;
  #commits = 0;
  readonly #count = (message: unknown): void => {
    const text = (message as { query?: unknown }).query;
    if (typeof text !== "string") return;
    this.#statements++;
    if (text === "COMMIT" || this.#commitsItself?.(text)) this.#commits++;
  };

  /** @param store where the contestant's tasks lie: the port tells which process its server is */
  constructor(store: string, { commitsItself }: Pick<Contestant, "commitsItself">) {
    this.#serverPid = pidListeningOn(portOf(store));
    this.#commitsItself = commitsItself;
    for (const name of CHANNELS) channel(name).subscribe(this.#count);
  }

  close(): void {
    for (const name of CHANNELS) channel(name).unsubscribe(this.#count);
  }

  read(): Reading {
    const { user, system } = process.cpuUsage();
    return {
      atMs: performance.now(),
      statements: this.#statements,
      commits: this.#commits,
      nodeCpuSeconds: (user + system) / 1e6,
      serverCpuSeconds: this.#serverPid === undefined ? undefined : cpuSecondsOf(this.#serverPid),
    };
  }

  /** What was used since a reading, for so many tasks; `elsewhere`: by processes that work for this one. */
  since(before: Reading, tasks: number, elsewhere: Usage = NOTHING): Figures {
    const after = this.read();
    const thousands = tasks / 1_000;
    const perTask = (total: number) => (this.#commitsItself ? rounded(total / tasks) : null);
    const serverCpu =
      after.serverCpuSeconds === undefined || before.serverCpuSeconds === undefined
        ? null
        : rounded((after.serverCpuSeconds - before.serverCpuSeconds) / thousands);
    return {
      perSecond: rounded(tasks / ((after.atMs - before.atMs) / 1_000)),
      statementsPerTask: perTask(after.statements - before.statements + elsewhere.statements),
      commitsPerTask: perTask(after.commits - before.commits + elsewhere.commits),
      nodeCpuPer1k: rounded((after.nodeCpuSeconds - before.nodeCpuSeconds + elsewhere.nodeCpuSeconds) / thousands),
      serverCpuPer1k: serverCpu,
    };
  }
}

const NOTHING: Usage = { statements: 0, commits: 0, nodeCpuSeconds: 0 };
const DEFAULT_PORT = 3306;

function portOf(store: string): number {
  return Number(new URL(store).port) || DEFAULT_PORT;
}

const CHANNELS = ["tracing:mysql2:query:start", "tracing:mysql2:execute:start"];
