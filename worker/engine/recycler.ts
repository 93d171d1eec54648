import type { Database } from "../../db/client.ts";
import { crashPoint } from "../../db/crash-points.ts";
import { BATCH_ROWS_MAX } from "../../db/queries/claim-tasks.ts";
import { listEventTypes, listTaskEventTypes } from "../../db/queries/event-types.ts";
import { listAbandonedTasks, recycleTasks } from "../../db/queries/recycle-tasks.ts";
import { listDeadOwners, removeGoneWorkers } from "../../db/queries/workers.ts";
import { DEFAULT_EVENT_TYPE_SETTINGS, effectiveSettings, parseStoredSettings } from "../../db/event-type-settings.ts";
import type { Clock } from "./clock.ts";
import type { DatabaseHealth } from "./database-health.ts";
import type { EngineEvents } from "./events.ts";
import type { Liveness } from "./liveness.ts";
import { Loop } from "./loop.ts";

/** When the rows of an owner that is gone are looked for again. */
interface NextLook {
  readonly atMs: number;
  readonly waitMs: number;
}

/** Owners that have been silent for a day leave the registry. */
const GONE_AFTER_MS = 86_400_000;

export interface RecyclerParts {
  readonly database: Database;
  readonly owner: string;
  readonly liveness: Liveness;
  readonly health: DatabaseHealth;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly intervalMs: number;
  readonly foreignAfterMs: number;
  /** After an outage everybody looks dead for a moment: nobody is judged before the own beat has held for so long. */
  readonly settleMs: number;
  /** Tasks of a type have become pending. */
  readonly onRecycled: (eventType: string) => void;
}

/**
 * Takes tasks back from owners that died. Looks at the small registry every second; scans the running rows when an owner
 * has newly died, and on a slow cadence for rows of owners that nobody registered.
 */
export class Recycler extends Loop {
  readonly #parts: RecyclerParts;
  /** Dead owners whose rows were all taken back. */
  readonly #swept = new Map<string, NextLook>();
  #lastFullScanMs = Number.NEGATIVE_INFINITY;
  /** True if the pass met rows that another session had locked: their owners are not done with. */
  #hasLeftRows = false;

  constructor(parts: RecyclerParts) {
    super("recycler", parts.clock, parts.events);
    this.#parts = parts;
  }

  override async runOnce(): Promise<number> {
    const { database, liveness, settleMs, health, foreignAfterMs, intervalMs } = this.#parts;
    if (liveness.steadyMs < settleMs) return intervalMs;
    try {
      const dead = (await database.use((session) => listDeadOwners(session))).filter(
        (owner) => owner !== this.#parts.owner,
      );
      for (const owner of this.#swept.keys()) if (!dead.includes(owner)) this.#swept.delete(owner);
      const nowMs = this.clock.monotonicMs();
      const fullScanMs = Math.min(30_000, foreignAfterMs / 2);
      const isFullScanDue = nowMs >= this.#lastFullScanMs + fullScanMs;
      const due = dead.filter((owner) => nowMs >= (this.#swept.get(owner)?.atMs ?? 0));
      if (isFullScanDue || due.length > 0) {
        this.#hasLeftRows = false;
        await this.recycleAll();
        if (!this.#hasLeftRows)
          for (const owner of due) this.#swept.set(owner, this.#nextLook(owner, nowMs, fullScanMs));
      }
      if (isFullScanDue) {
        this.#lastFullScanMs = this.clock.monotonicMs();
        await database.use((session) => removeGoneWorkers(session, GONE_AFTER_MS));
      }
    } catch (error) {
      health.noteError(error);
      throw error;
    }
    return intervalMs;
  }

  /**
   * An owner that is gone may leave one more row: born claimed in a transaction that commits only now. So its rows are
   * looked for again, at growing distances until the slow cadence takes over.
   */
  #nextLook(owner: string, nowMs: number, fullScanMs: number): NextLook {
    const last = this.#swept.get(owner);
    const waitMs = last ? 2 * last.waitMs : this.#parts.intervalMs;
    return { atMs: waitMs < fullScanMs ? nowMs + waitMs : Number.POSITIVE_INFINITY, waitMs };
  }

  /** Takes back every abandoned task of every type now; answers how many. */
  async recycleAll(): Promise<number> {
    const { database } = this.#parts;
    const registered = await database.use((session) => listEventTypes(session));
    const withTasks = await database.use((session) => listTaskEventTypes(session));
    const maxRecycles = new Map(
      registered.map((row) => [
        row.eventType,
        effectiveSettings(parseStoredSettings(row.codeSettings) ?? {}, parseStoredSettings(row.overrideSettings) ?? {})
          .maxRecycles,
      ]),
    );
    let total = 0;
    for (const eventType of withTasks) {
      if (this.isStopping) break;
      total += await this.#recycleType(
        eventType,
        maxRecycles.get(eventType) ?? DEFAULT_EVENT_TYPE_SETTINGS.maxRecycles,
      );
    }
    return total;
  }

  async #recycleType(eventType: string, maxRecycles: number): Promise<number> {
    const { database, owner, foreignAfterMs, onRecycled } = this.#parts;
    for (let total = 0; ;) {
      const abandoned = await database.use((session) =>
        listAbandonedTasks(session, { eventType, self: owner, foreignAfterMs }),
      );
      if (abandoned.length === 0) return total;
      crashPoint("recycle.listed");
      const recycled = await database.retryingTransaction(async (session) => {
        const taken = await recycleTasks(session, abandoned, { maxRecycles, by: owner });
        crashPoint("recycle.changed");
        return taken;
      });
      crashPoint("recycle.committed");
      if (recycled.length > 0) {
        const failedForGood = recycled.filter((one) => !one.runsAgain).length;
        this.events.emit("recycled", { eventType, count: recycled.length, failedForGood });
        onRecycled(eventType);
      }
      total += recycled.length;
      if (recycled.length < abandoned.length) this.#hasLeftRows = true;
      // A short batch, or rows that others are taking at this moment: the next pass sees what is left.
      if (abandoned.length < BATCH_ROWS_MAX || recycled.length === 0) return total;
    }
  }
}
