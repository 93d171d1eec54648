import { sql, type SQL } from "drizzle-orm";
import { STATUS_CODE } from "../schema/task-status.ts";
import { idList } from "../session.ts";

/** Names one claim: no later write is accepted without it. */
export interface Claim {
  readonly id: string;
  readonly claimNo: number;
}

/**
 * The guard of every write of a claim holder: still running, still this owner, still this claim. Ids are listed per
 * claim number, so that the whole guard is a handful of primary-key ranges.
 */
export function stillHeld(owner: string, claims: readonly Claim[]): SQL {
  const idsByClaimNo = new Map<number, string[]>();
  for (const claim of claims) {
    const ids = idsByClaimNo.get(claim.claimNo);
    if (ids) ids.push(claim.id);
    else idsByClaimNo.set(claim.claimNo, [claim.id]);
  }
  const groups = [...idsByClaimNo].map(
    ([claimNo, ids]) => sql`(claim_no = ${sql.raw(String(Math.trunc(claimNo)))} AND id IN (${idList(ids)}))`,
  );
  return sql`status = ${STATUS_CODE.running} AND owner = ${owner} AND (${sql.join(groups, sql` OR `)})`;
}
