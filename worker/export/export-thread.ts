import { parentPort, workerData } from "node:worker_threads";
import { Database } from "../../db/client.ts";
import { SessionZone } from "../../db/session-zone.ts";
import { systemClock } from "../engine/clock.ts";
import { runExport } from "./export-run.ts";
import { openTarget } from "./open-target.ts";
import { RunLease } from "./run-lease.ts";
import type { ThreadInput, ThreadMessage } from "./run-in-thread.ts";

// The thread that an export runs in; `run-in-thread.ts` starts it and listens.
const input = workerData as ThreadInput;
const stopping = new AbortController();
parentPort?.on("message", () => stopping.abort());

const tell = (message: ThreadMessage): void => parentPort?.postMessage(message);
const database = new Database({
  connection: input.connection,
  zone: SessionZone.parse(input.zone),
  connectionLimit: 2,
  statementTimeoutMs: 300_000,
});
const lease = new RunLease({ database, owner: input.owner, clock: systemClock, signal: stopping.signal });
/** Before the end is told: whoever hears of it may take the lease at once. */
async function giveBack(): Promise<void> {
  await lease.release();
  await database.close();
}

try {
  const { outcomes, stopped } = await runExport({
    ...input.options,
    database,
    target: openTarget(input.target, input.s3),
    lease,
    onProgress: (progress) => tell({ kind: "progress", progress }),
    onOutcome: (outcome) => tell({ kind: "outcome", outcome }),
  });
  await giveBack();
  tell({ kind: "end", outcomes, stopped: stopped && { code: stopped.code, message: stopped.message } });
} catch (error) {
  const { message, code, errno, stack } = error as Error & { code?: string; errno?: number };
  await giveBack();
  tell({ kind: "error", error: { message, code, errno, stack } });
} finally {
  parentPort?.close();
}
