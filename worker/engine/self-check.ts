import type { Database } from "../../db/client.ts";
import { crashPoint } from "../../db/crash-points.ts";
import { BATCH_ROWS_MAX } from "../../db/queries/claim-tasks.ts";
import { listOwnedClaims } from "../../db/queries/owned-tasks.ts";
import { releaseTasks } from "../../db/queries/release-tasks.ts";
import type { Clock } from "./clock.ts";
import type { EngineEvents } from "./events.ts";
import type { HeldClaims } from "./held-claims.ts";
import { Loop } from "./loop.ts";

export interface SelfCheckParts {
  readonly database: Database;
  readonly owner: string;
  readonly held: HeldClaims;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly intervalMs: number;
  /** Rows written less than so long ago are left alone. */
  readonly settledMs: number;
  readonly eventTypes: () => readonly string[];
  readonly onReleased: (eventType: string) => void;
  /** Further upkeep of this process, at the same pace. */
  readonly upkeep: () => Promise<void>;
}

/**
 * Finds rows that the table says are this owner's and that the process knows nothing of (a lost COMMIT answer, a commit
 * hook that was never called) and gives them back, so that they need not wait for this process to die.
 */
export class SelfCheck extends Loop {
  readonly #parts: SelfCheckParts;

  constructor(parts: SelfCheckParts) {
    super("self-check", parts.clock, parts.events);
    this.#parts = parts;
  }

  override async runOnce(): Promise<number> {
    await this.#parts.upkeep();
    for (const eventType of this.#parts.eventTypes()) await this.#check(eventType);
    return this.#parts.intervalMs;
  }

  async #check(eventType: string): Promise<void> {
    const { database, owner, held, settledMs, onReleased } = this.#parts;
    // So many that a batch of forgotten ones is found even behind everything this process rightly holds.
    const limit = held.size + BATCH_ROWS_MAX;
    const claims = await database.use((session) => listOwnedClaims(session, { owner, eventType, settledMs, limit }));
    const forgotten = claims.filter((claim) => !held.has(claim)).slice(0, BATCH_ROWS_MAX);
    if (forgotten.length === 0) return;
    crashPoint("forgotten.found");
    const count = await database.use((session) => releaseTasks(session, owner, forgotten));
    crashPoint("forgotten.released");
    if (count > 0) {
      this.events.emit("released", { eventType, count, reason: "forgotten" });
      onReleased(eventType);
    }
  }
}
