import { appendFileSync, readFileSync } from "node:fs";
import type { PoolConnection } from "mysql2/promise";
import { Cancel, defineHandler, type Handler, NonRetryableError, RetryAfterError, Snooze } from "../engine/index.ts";
import type { Outcome } from "./crash-cases.ts";

export const CRASH_TYPE = "CRASH";

/** A call of a handler, or of its check before the run. */
export interface LedgerCall {
  readonly id: string;
  readonly bizKey: string;
  readonly claimNo: number;
  readonly pid: number;
}

/** A file of handler calls that outlives the processes which write it: a line is there before its handler goes on. */
export class CallLedger {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    appendFileSync(path, "");
  }

  note(call: LedgerCall): void {
    appendFileSync(this.#path, `${JSON.stringify(call)}\n`);
  }

  read(): LedgerCall[] {
    const lines = readFileSync(this.#path, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as LedgerCall);
  }
}

export interface CrashHandlerParts {
  readonly ledger: CallLedger;
  /** What the doomed process does differently: it steals a task from itself, and waits where it is to die. */
  readonly doomed?: {
    readonly steal: (id: string) => Promise<void>;
    /** Called when a handler has begun; the handler goes on when this resolves. */
    readonly hold: (bizKey: string) => Promise<void>;
  };
}

/** A handler whose end is the task's key, the same in the process that dies and in the one that follows it. */
export function crashHandler({ ledger, doomed }: CrashHandlerParts): Handler {
  return defineHandler({
    eventType: CRASH_TYPE,
    concurrency: doomed ? 1 : 10,
    pollIntervalMs: 100,
    retry: { strategy: "FIXED", firstIntervalSeconds: 1, maxRetryCount: 5 },
    preCheckSkip: (bizKey, { claimNo }) => {
      if (bizKey === "skipped") ledger.note({ id: bizKey, bizKey, claimNo, pid: process.pid });
      return bizKey === "skipped";
    },
    handle: async (task, ctx) => {
      const { id, bizKey, claimNo } = task;
      ledger.note({ id, bizKey, claimNo, pid: process.pid });
      await doomed?.hold(bizKey);
      switch (bizKey as Outcome) {
        case "retry":
          if (task.retryCount === 0) throw new RetryAfterError({ ms: 1 }, "fails the first time");
          return undefined;
        case "failed":
          throw new NonRetryableError("fails for good");
        case "snoozed":
          return claimNo === 1 ? new Snooze({ ms: 1 }) : undefined;
        case "cancelled":
          return new Cancel();
        case "transaction":
          await ctx.transaction(async (tx: PoolConnection) => {
            await tx.query("INSERT INTO effect (task_id, claim_no) VALUES (?, ?)", [BigInt(id), claimNo]);
          });
          return undefined;
        case "released":
          if (doomed) await new Promise((_, reject) => ctx.signal.addEventListener("abort", reject));
          return undefined;
        case "refused":
          if (claimNo === 1) await doomed?.steal(id);
          return undefined;
        default:
          return undefined;
      }
    },
  });
}
