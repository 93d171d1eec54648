import type { Database } from "../../db/client.ts";
import { holdLease, releaseLease } from "../../db/queries/leases.ts";
import type { Clock } from "../engine/clock.ts";

/** Exports and purges exclude each other, in any process: both hold this lease while they run. */
const LEASE = "history";
const LEASE_MS = 60_000;
const RENEW_MS = 5_000;

/** The run ends here: it was told to stop, or another process has its duty. What is done stays done. */
export class RunStoppedError extends Error {
  override readonly name = "RunStoppedError";
  readonly code: "RUN_INTERRUPTED" | "RUN_ELSEWHERE";

  constructor(code: RunStoppedError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** The right to export or purge, renewed while it is used. */
export class RunLease {
  readonly #database: Database;
  readonly #owner: string;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #signal: AbortSignal;
  #renewedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: {
    readonly database: Database;
    readonly owner: string;
    readonly clock: Pick<Clock, "monotonicMs">;
    readonly signal: AbortSignal;
  }) {
    this.#database = parts.database;
    this.#owner = parts.owner;
    this.#clock = parts.clock;
    this.#signal = parts.signal;
  }

  /** Passes while the run may go on; asks the database every few seconds only. @throws RunStoppedError if it may not. */
  readonly checkpoint = async (): Promise<void> => {
    if (this.#signal.aborted)
      throw new RunStoppedError("RUN_INTERRUPTED", "stopped before the end; run it again to go on");
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#renewedMs < RENEW_MS) return;
    const params = { name: LEASE, owner: this.#owner, leaseMs: LEASE_MS };
    if (!(await this.#database.use((session) => holdLease(session, params)))) {
      this.#renewedMs = Number.NEGATIVE_INFINITY;
      throw new RunStoppedError(
        "RUN_ELSEWHERE",
        "another process exports or purges at this moment; one does it at a time. If it has died, its lease ends within a minute",
      );
    }
    this.#renewedMs = nowMs;
  };

  async release(): Promise<void> {
    await this.#database
      .use((session) => releaseLease(session, { name: LEASE, owner: this.#owner }))
      .catch(() => undefined);
  }
}
