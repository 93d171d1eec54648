import { channel } from "node:diagnostics_channel";
import type { TestDatabase } from "../db/testing/test-database.ts";
import { type Figures, rounded } from "./figures.ts";
import { cpuSecondsOf, pidListeningOn } from "./server-process.ts";

interface Reading {
  readonly atMs: number;
  readonly statements: number;
  readonly commits: number;
  readonly nodeCpuSeconds: number;
  readonly serverCpuSeconds: number | undefined;
}

/**
 * Counts what noise cannot change (statements and commits of this process, told by the driver) and reads CPU time: of this
 * process with all its threads, and of the database server if it runs here. The server's also holds what it did for others.
 */
export class Meter {
  readonly #serverPid: number | undefined;
  readonly #commitsItself: (text: string) => boolean;
  #statements = 0;
  #commits = 0;
  readonly #count = (message: unknown): void => {
    const text = (message as { query?: unknown }).query;
    if (typeof text !== "string") return;
    this.#statements++;
    if (text === "COMMIT" || this.#commitsItself(text)) this.#commits++;
  };

  private constructor(serverPid: number | undefined, commitsItself: (text: string) => boolean) {
    this.#serverPid = serverPid;
    this.#commitsItself = commitsItself;
    for (const name of CHANNELS) channel(name).subscribe(this.#count);
  }

  static open(test: TestDatabase, commitsItself: (text: string) => boolean): Meter {
    return new Meter(pidListeningOn(test.connection.port ?? 3306), commitsItself);
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

  /** What was used since a reading, for so many tasks. */
  since(before: Reading, tasks: number): Figures {
    const after = this.read();
    const thousands = tasks / 1_000;
    const serverCpu =
      after.serverCpuSeconds === undefined || before.serverCpuSeconds === undefined
        ? null
        : rounded((after.serverCpuSeconds - before.serverCpuSeconds) / thousands);
    return {
      perSecond: rounded(tasks / ((after.atMs - before.atMs) / 1_000)),
      statementsPerTask: rounded((after.statements - before.statements) / tasks),
      commitsPerTask: rounded((after.commits - before.commits) / tasks),
      nodeCpuPer1k: rounded((after.nodeCpuSeconds - before.nodeCpuSeconds) / thousands),
      serverCpuPer1k: serverCpu,
    };
  }
}

const CHANNELS = ["tracing:mysql2:query:start", "tracing:mysql2:execute:start"];
