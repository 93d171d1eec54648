import type { Database } from "../../db/client.ts";
import { isDuplicateKey } from "../../db/mysql-errors.ts";
import { type BulkCursor, firstCursor, listCandidates, narrowCandidates } from "../../db/queries/bulk-candidates.ts";
import type { BulkRow } from "../../db/queries/bulk-operations.ts";
import type { BulkOwner } from "../../db/queries/bulk-transitions.ts";
import { firstReplayCursor, listReplayCandidates } from "../../db/queries/replay-candidates.ts";
import { refKey } from "../../db/queries/replay-sources.ts";
import { applyBulkBatch, type OnBulkStep } from "./bulk-batch.ts";
import { applyReplayBatch, lookAtReplays } from "./replay-batch.ts";

/** A task that an action may have to deal with; an archived one names when it was archived. */
export interface WorkItem {
  readonly id: string;
  readonly archivedAt?: string | undefined;
  readonly cursor: BulkCursor;
}

export interface WorkBatch {
  readonly items: readonly WorkItem[];
  /** Where the walk stands once all of these are dealt with. */
  readonly cursor: BulkCursor;
  /** Whether what somebody holds is left alone now, and not tried again. */
  readonly givesUp: boolean;
}

export interface WorkResult {
  readonly done: number;
  readonly skipped: number;
  /** So many items from the first on are dealt with, but for those that are held; the others are for the next batch. */
  readonly taken: number;
  /** Items that somebody holds at this moment, to be tried again. */
  readonly held: readonly WorkItem[];
  /** Where the walk stands once those are dealt with as well. */
  readonly cursor: BulkCursor;
}

/** What kinds of actions differ in: where their tasks are found, and what is done with a batch of them. */
export interface BulkWork {
  /** The next tasks, from a place on; undefined: from the first. A page may be empty and still have a next one. */
  readPage(
    action: BulkRow,
    from: BulkCursor | undefined,
  ): Promise<{ readonly candidates: readonly WorkItem[]; readonly next: BulkCursor | undefined }>;
  /** Undefined: the action is no longer this owner's, or no longer running. */
  apply(batch: WorkBatch): Promise<WorkResult | undefined>;
}

export interface WorkParts extends BulkOwner {
  readonly database: Database;
  readonly onStep?: OnBulkStep;
}

/** Actions that change live tasks. */
export class LiveWork implements BulkWork {
  readonly #parts: WorkParts;
  readonly #owner: BulkOwner;

  constructor(parts: WorkParts) {
    this.#parts = parts;
    this.#owner = { id: parts.id, owner: parts.owner };
  }

  async readPage(action: BulkRow, from = firstCursor(action)) {
    const isNarrowed = action.filter.bulkId !== undefined && action.action !== "revert";
    return this.#parts.database.use(async (session) => {
      const page = await listCandidates(session, action, from);
      if (!isNarrowed) return page;
      const ids = page.candidates.map(({ id }) => id);
      const kept = await narrowCandidates(session, action, ids);
      return { ...page, candidates: page.candidates.filter(({ id }) => kept.has(id)) };
    });
  }

  async apply({ items, cursor, givesUp }: WorkBatch): Promise<WorkResult | undefined> {
    const { database, onStep } = this.#parts;
    const ids = items.map(({ id }) => id);
    const result = await database.retryingTransaction((session) =>
      applyBulkBatch(session, this.#owner, { ids, cursor, givesUp }, onStep),
    );
    if (!result) return undefined;
    const held = new Set(result.held);
    return { ...result, taken: items.length, held: items.filter(({ id }) => held.has(id)), cursor };
  }
}

/** So often a batch is made anew at once because somebody has just created a task of one of its keys. */
const TWIN_TRIES = 5;

/** The action that makes new tasks from archived ones. */
export class ReplayWork implements BulkWork {
  readonly #parts: WorkParts;
  readonly #owner: BulkOwner;

  constructor(parts: WorkParts) {
    this.#parts = parts;
    this.#owner = { id: parts.id, owner: parts.owner };
  }

  async readPage({ filter }: BulkRow, from = firstReplayCursor(filter)) {
    return this.#parts.database.use((session) => listReplayCandidates(session, filter, from));
  }

  async apply(batch: WorkBatch): Promise<WorkResult | undefined> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#tryToApply(batch);
      } catch (error) {
        // The key's new owner is seen at the next look.
        if (!isDuplicateKey(error) || tries === TWIN_TRIES) throw error;
      }
    }
  }

  async #tryToApply({ items, cursor, givesUp }: WorkBatch): Promise<WorkResult | undefined> {
    const { database, onStep } = this.#parts;
    const all = items.map(({ id, archivedAt = "" }) => ({ id, archivedAt }));
    const { fitting, heldKeys } = await database.use((session) => lookAtReplays(session, all));
    const taken = items.slice(0, fitting);
    const end = fitting === items.length ? cursor : (taken.at(-1)?.cursor ?? cursor);
    const result = await database.retryingTransaction((session) =>
      applyReplayBatch(session, this.#owner, { refs: all.slice(0, fitting), heldKeys, cursor: end, givesUp }, onStep),
    );
    if (!result) return undefined;
    const held = new Set(result.held.map(refKey));
    return {
      ...result,
      taken: fitting,
      held: taken.filter(({ id, archivedAt = "" }) => held.has(refKey({ id, archivedAt }))),
      cursor: end,
    };
  }
}
