import { Worker } from "node:worker_threads";
import type { ConnectionSettings } from "../../db/connection-options.ts";
import type { DayOutcome, ExportProgress, ExportReport } from "./export-run.ts";
import { RunStoppedError } from "./run-lease.ts";
import type { S3Settings } from "./s3-client.ts";

/**
 * Heap of the thread. The limit keeps the collector from letting garbage pile up while millions of rows pass; a page, a row
 * group and one payload of 16 MB fit several times.
 */
const HEAP_MB = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 } as const;

export interface ThreadInput {
  readonly connection: ConnectionSettings;
  readonly zone: string;
  readonly owner: string;
  readonly target: string;
  readonly s3: S3Settings | undefined;
  readonly options: {
    readonly day?: string | undefined;
    readonly verifyAll?: boolean;
    readonly again?: boolean;
    readonly settleMs?: number;
  };
}

export type ThreadMessage =
  | { readonly kind: "progress"; readonly progress: ExportProgress }
  | { readonly kind: "outcome"; readonly outcome: DayOutcome }
  | {
      readonly kind: "end";
      readonly outcomes: readonly DayOutcome[];
      readonly stopped: { readonly code: RunStoppedError["code"]; readonly message: string } | undefined;
    }
  | {
      readonly kind: "error";
      readonly error: {
        readonly message: string;
        readonly code?: string;
        readonly errno?: number;
        readonly stack?: string;
      };
    };

/**
 * Runs an export in a thread of its own: compressing a row group takes tens of milliseconds, in which no handler of this
 * process would go on. Ends where nothing is lost when the signal aborts.
 */
export function runExportInThread(
  input: ThreadInput,
  parts: {
    readonly signal: AbortSignal;
    readonly onProgress?: (progress: ExportProgress) => void;
    readonly onOutcome?: (outcome: DayOutcome) => void;
  },
): Promise<ExportReport> {
  const thread = startThread(input);
  const stop = (): void => thread.postMessage("stop");
  parts.signal.addEventListener("abort", stop, { once: true });
  if (parts.signal.aborted) stop();
  return new Promise<ExportReport>((resolve, reject) => {
    thread.on("message", (message: ThreadMessage) => {
      switch (message.kind) {
        case "progress":
          return parts.onProgress?.(message.progress);
        case "outcome":
          return parts.onOutcome?.(message.outcome);
        case "end": {
          const { outcomes, stopped } = message;
          return resolve({ outcomes, stopped: stopped && new RunStoppedError(stopped.code, stopped.message) });
        }
        case "error":
          return reject(Object.assign(new Error(message.error.message), message.error));
      }
    });
    thread.on("error", reject);
    thread.on("exit", (code) => reject(new Error(`the export thread ended with code ${code} before its work`)));
  }).finally(() => parts.signal.removeEventListener("abort", stop));
}

function startThread(input: ThreadInput): Worker {
  const options = { workerData: input, resourceLimits: HEAP_MB };
  if (!import.meta.url.endsWith(".ts")) return new Worker(new URL("./export-thread.js", import.meta.url), options);
  // Run from the source: a thread does not inherit what reads TypeScript, and is told to load it first.
  const script = JSON.stringify(new URL("./export-thread.ts", import.meta.url).href);
  const code = `import("tsx/esm/api").then(({ register }) => { register(); return import(${script}); })`;
  return new Worker(code, { ...options, eval: true });
}
