import { sql } from "drizzle-orm";
import { isDuplicateKey } from "../mysql-errors.ts";
import { idempotency } from "../schema/console.ts";
import type { Session } from "../session.ts";
import { laterBy } from "./insert-tasks.ts";

/** A request that carries a key, and the claim under which its first run works. */
export interface IdempotentRequest {
  readonly keyHash: string;
  readonly requestHash: string;
  /** Chance text of this run; only its holder may write the answer. Kept in `body` until then. */
  readonly claim: string;
}

/** What a claim found. `claimed`: this run works and then writes its answer; else nobody may act. */
export type IdempotencyVerdict =
  | { readonly outcome: "claimed" }
  | { readonly outcome: "answered"; readonly status: number; readonly body: string }
  | { readonly outcome: "mismatch" }
  | { readonly outcome: "in_progress" };

export const IDEMPOTENCY_KEPT_MS = 86_400_000;
/** A run that has not answered for so long has died with its process; another takes over. */
export const IDEMPOTENCY_TAKEOVER_MS = 60_000;
const REMOVED_AT_ONCE = 500;

/**
 * Claims a key before its request works. Runs without a transaction, so that the claim is committed and of two requests
 * at once only one is let through. A key older than a day counts as new.
 */
export async function claimIdempotencyKey(session: Session, request: IdempotentRequest): Promise<IdempotencyVerdict> {
  const { keyHash, requestHash, claim } = request;
  for (let attempt = 1; ; attempt++) {
    try {
      await session.change(
        sql`INSERT INTO ${idempotency} (key_hash, request_hash, body, create_time) VALUES (${keyHash}, ${requestHash}, ${claim}, ${session.now})`,
      );
      return { outcome: "claimed" };
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    const taken = await session.change(
      sql`UPDATE ${idempotency} SET request_hash = ${requestHash}, status = NULL, body = ${claim}, create_time = ${session.now}
        WHERE key_hash = ${keyHash} AND (create_time < ${laterBy(session, -IDEMPOTENCY_KEPT_MS)}
          OR (status IS NULL AND request_hash = ${requestHash} AND create_time < ${laterBy(session, -IDEMPOTENCY_TAKEOVER_MS)}))`,
    );
    if (taken.affectedRows > 0) return { outcome: "claimed" };
    const [row] = await session.rows<{ request_hash: string; status: number | null; body: string | null }>(
      sql`SELECT request_hash, status, body FROM ${idempotency} WHERE key_hash = ${keyHash}`,
    );
    // Given back between the two statements: the next insert finds its place.
    if (!row && attempt < 3) continue;
    if (!row) return { outcome: "in_progress" };
    if (row.request_hash !== requestHash) return { outcome: "mismatch" };
    return row.status === null
      ? { outcome: "in_progress" }
      : { outcome: "answered", status: row.status, body: row.body ?? "" };
  }
}

/** Keeps the answer for repeats. False: the claim was lost to another run, whose answer counts. */
export async function storeIdempotentAnswer(
  session: Session,
  { keyHash, claim }: Pick<IdempotentRequest, "keyHash" | "claim">,
  answer: { readonly status: number; readonly body: string },
): Promise<boolean> {
  const { affectedRows } = await session.change(
    sql`UPDATE ${idempotency} SET status = ${answer.status}, body = ${answer.body}
      WHERE key_hash = ${keyHash} AND status IS NULL AND body = ${claim}`,
  );
  return affectedRows > 0;
}

/** Gives a claimed key back, as if the request had never come. */
export async function releaseIdempotencyKey(
  session: Session,
  { keyHash, claim }: Pick<IdempotentRequest, "keyHash" | "claim">,
): Promise<void> {
  await session.change(
    sql`DELETE FROM ${idempotency} WHERE key_hash = ${keyHash} AND status IS NULL AND body = ${claim}`,
  );
}

/** Removes up to 500 keys older than a day, oldest first by `idx_time`; returns how many. */
export async function removeOldIdempotencyKeys(session: Session): Promise<number> {
  const { affectedRows } = await session.change(
    sql`DELETE gone FROM (SELECT key_hash FROM ${idempotency} FORCE INDEX (idx_time)
      WHERE create_time < ${laterBy(session, -IDEMPOTENCY_KEPT_MS)} ORDER BY create_time LIMIT ${sql.raw(String(REMOVED_AT_ONCE))}) AS list
      STRAIGHT_JOIN ${idempotency} AS gone FORCE INDEX (PRIMARY) ON gone.key_hash = list.key_hash
      WHERE gone.create_time < ${laterBy(session, -IDEMPOTENCY_KEPT_MS)}`,
  );
  return affectedRows;
}
