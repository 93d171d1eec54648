import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("../../worker/testing/bulk-child.ts", import.meta.url));

/** A process that carries bulk actions on, as a worker does. */
export class BulkWorker {
  readonly #child: ChildProcess;

  constructor(environment: Readonly<Record<string, string>>) {
    const words = [
      "--import",
      "tsx",
      SCRIPT,
      environment["DATABASE_URL"] ?? "",
      environment["REDRIVE_ZONE"] ?? "UTC",
      "w-1",
    ];
    this.#child = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "inherit"] });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}
