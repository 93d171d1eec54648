import type { Database } from "../../db/client.ts";
import type { BulkCursor } from "../../db/queries/bulk-candidates.ts";
import { type BulkRow, readBulk } from "../../db/queries/bulk-operations.ts";
import { countBulkOutcome } from "../../db/queries/bulk-outcome.ts";
import { beatBulk, type BulkOwner, endBulk, passCanary } from "../../db/queries/bulk-transitions.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import type { Session } from "../../db/session.ts";
import type { AuditAction } from "../../db/schema/audit-actions.ts";
import type { Clock } from "../engine/clock.ts";
import { isRunning, type OnBulkStep } from "./bulk-batch.ts";
import { BulkPace } from "./bulk-pace.ts";
import { type BulkWork, LiveWork, ReplayWork, type WorkItem } from "./bulk-work.ts";

/** The longest wait between two signs of life: a pause, an abort or another pace is seen within this. */
const WAIT_MS_MAX = 1_000;
/** The canary is looked at so often. */
const CANARY_LOOK_MS = 1_000;
/** Tasks that somebody holds are tried again after this, so many times. */
const HELD_WAIT_MS = 200;
const HELD_TRIES = 5;
/** The actor of what the worker does by itself. */
const SYSTEM = { actor: "redrive", actorKind: "system" } as const;

export interface BulkRunParts extends BulkOwner {
  readonly database: Database;
  readonly clock: Clock;
  readonly onStep?: OnBulkStep;
}

/** Tasks that are dealt with together, and where the walk stands once all of them are. */
interface Batch {
  readonly items: readonly WorkItem[];
  readonly cursor: BulkCursor;
  /** How often they were tried before, because somebody held them. */
  readonly tries: number;
}

/** What a step came to: go on at once, wait, or the action is over or another's. */
export type BulkStepResult =
  { readonly next: "go_on" } | { readonly next: "wait"; readonly ms: number } | { readonly next: "end" };

/** One action in the hands of this process: step by step, so that it may end or be taken away between any two. */
export class BulkRun {
  readonly #parts: BulkRunParts;
  readonly #owner: BulkOwner;
  readonly #pace: BulkPace;
  /** What it does with tasks; known once its row was read. */
  #work: BulkWork | undefined;
  /** Candidates that were read and not dealt with yet. */
  #waiting: readonly WorkItem[] = [];
  /** Where the next page of candidates begins; undefined before the first. */
  #next: BulkCursor | "first" | "none" = "first";
  #held: Batch | undefined;

  constructor(parts: BulkRunParts) {
    this.#parts = parts;
    this.#owner = { id: parts.id, owner: parts.owner };
    this.#pace = new BulkPace(parts.clock);
  }

  /** One bounded piece of work. @throws what the database throws; the step may simply be made again. */
  async step(): Promise<BulkStepResult> {
    const { database } = this.#parts;
    const action = await database.use((session) => readBulk(session, this.#owner.id));
    if (!action || action.owner !== this.#owner.owner || !isRunning(action)) return { next: "end" };
    this.#pace.setRate(action.ratePerSecond);
    const work = (this.#work ??= this.#workOf(action));
    const waitMs = this.#pace.waitMs;
    if (waitMs > 0) return this.#beatAndWait(Math.min(WAIT_MS_MAX, waitMs));
    if (this.#held) return this.#apply(work, this.#held);
    let rows = this.#pace.batchRows;
    if (action.state === "canary") {
      rows = Math.min(rows, action.canaryRows - action.doneCount);
      if (rows <= 0) return this.#judgeCanary(action);
    }
    if (this.#waiting.length === 0) {
      if (this.#next === "none") return this.#end("finished");
      await this.#readPage(work, action);
      return { next: "go_on" };
    }
    const items = this.#waiting.slice(0, rows);
    const last = items.at(-1);
    if (last === undefined) return { next: "go_on" };
    return this.#apply(work, { items, cursor: last.cursor, tries: 0 });
  }

  /** Ends the action as one that cannot go on. */
  async fail(why: string): Promise<void> {
    await this.#end("failed", why);
  }

  #workOf(action: BulkRow): BulkWork {
    return action.action === "replay" ? new ReplayWork(this.#parts) : new LiveWork(this.#parts);
  }

  async #readPage(work: BulkWork, action: BulkRow): Promise<void> {
    const from = this.#next === "first" ? action.cursor : this.#next;
    if (from === "none") return;
    const { candidates, next } = await work.readPage(action, from);
    this.#waiting = candidates;
    this.#next = next ?? "none";
  }

  /** Deals with a batch. If it throws, the batch is made again: what was committed after all is known by its notes. */
  async #apply(work: BulkWork, { items, cursor, tries }: Batch): Promise<BulkStepResult> {
    const result = await work.apply({ items, cursor, givesUp: tries >= HELD_TRIES });
    await this.#parts.onStep?.("committed");
    if (!result) return { next: "end" };
    if (tries === 0) this.#waiting = this.#waiting.slice(result.taken);
    this.#pace.spend(result.done + result.skipped);
    this.#held = result.held.length === 0 ? undefined : { items: result.held, cursor: result.cursor, tries: tries + 1 };
    return this.#held ? { next: "wait", ms: HELD_WAIT_MS } : { next: "go_on" };
  }

  async #beatAndWait(ms: number): Promise<BulkStepResult> {
    const beaten = await this.#parts.database.use((session) => beatBulk(session, this.#owner));
    return beaten === 0 ? { next: "end" } : { next: "wait", ms };
  }

  /** Passed as soon as enough have succeeded; failed once each had its first attempt and too few have. */
  async #judgeCanary(action: BulkRow): Promise<BulkStepResult> {
    const { database } = this.#parts;
    const share = action.canaryShare ?? 1;
    const outcome = await database.use((session) =>
      countBulkOutcome(session, { bulkId: action.id, since: action.createdAt }),
    );
    const { succeeded } = outcome;
    if (succeeded >= share * outcome.looked) {
      const passed = await this.#tell("bulk.canary_pass", { succeeded, of: outcome.looked }, (session) =>
        passCanary(session, this.#owner),
      );
      return passed ? { next: "go_on" } : { next: "end" };
    }
    if (outcome.waiting + outcome.running > 0) return this.#beatAndWait(CANARY_LOOK_MS);
    const stateReason = `canary: ${succeeded} of ${outcome.looked} succeeded`;
    await this.#tell("bulk.canary_stop", { succeeded, of: outcome.looked }, (session) =>
      endBulk(session, { ...this.#owner, state: "paused", stateReason, canaryVerdict: "failed" }),
    );
    return { next: "end" };
  }

  async #end(state: "finished" | "failed", stateReason?: string): Promise<BulkStepResult> {
    await this.#tell(`bulk.${state === "finished" ? "finish" : "fail"}`, { stateReason }, (session) =>
      endBulk(session, { ...this.#owner, state, stateReason }),
    );
    return { next: "end" };
  }

  /** Makes a transition and its audit entry in one transaction; false, and no entry, if the action is no longer ours. */
  async #tell(
    action: AuditAction,
    detail: Readonly<Record<string, unknown>>,
    transition: (session: Session) => Promise<number>,
  ): Promise<boolean> {
    return this.#parts.database.retryingTransaction(async (session) => {
      if ((await transition(session)) === 0) return false;
      const row = await readBulk(session, this.#owner.id);
      await insertAudit(session, {
        ...SYSTEM,
        action,
        objectKind: "bulk",
        objectId: this.#owner.id,
        result: action === "bulk.fail" ? "failed" : "ok",
        correlation: `bulk-${this.#owner.id}`,
        detail: { ...detail, done: row?.doneCount, skipped: row?.skippedCount, worker: this.#owner.owner },
      });
      return true;
    });
  }
}
