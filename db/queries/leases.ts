import { sql } from "drizzle-orm";
import { isDuplicateKey } from "../mysql-errors.ts";
import { lease } from "../schema/lease.ts";
import type { Session } from "../session.ts";
import { laterBy } from "./insert-tasks.ts";

/**
 * Takes or renews a duty for `leaseMs`. True: this owner holds it until then. A duty held by another is taken only after
 * its time has passed by the database's clock; `lease_no` rises with each change of holder.
 */
export async function holdLease(
  session: Session,
  params: { readonly name: string; readonly owner: string; readonly leaseMs: number },
): Promise<boolean> {
  const { name, owner } = params;
  const expiry = laterBy(session, params.leaseMs);
  const renewed = await session.change(
    sql`UPDATE ${lease} SET expire_time = ${expiry} WHERE name = ${name} AND owner = ${owner} AND expire_time >= ${session.now}`,
  );
  if (renewed.affectedRows > 0) return true;
  const taken = await session.change(
    sql`UPDATE ${lease} SET lease_no = lease_no + 1, owner = ${owner}, expire_time = ${expiry}
      WHERE name = ${name} AND (owner IS NULL OR expire_time < ${session.now})`,
  );
  if (taken.affectedRows > 0) return true;
  const [known] = await session.rows<{ mine: number }>(
    sql`SELECT COALESCE(owner = ${owner} AND expire_time >= ${session.now}, 0) AS mine FROM ${lease} WHERE name = ${name}`,
  );
  // A renewal to the same millisecond changes nothing, which a driver without FOUND_ROWS reports as 0 rows.
  if (known) return Number(known.mine) === 1;
  try {
    await session.change(
      sql`INSERT INTO ${lease} (name, owner, lease_no, expire_time) VALUES (${name}, ${owner}, 1, ${expiry})`,
    );
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Gives a duty up, so that another takes it at its next look. */
export async function releaseLease(
  session: Session,
  params: { readonly name: string; readonly owner: string },
): Promise<void> {
  await session.change(sql`UPDATE ${lease} SET owner = NULL WHERE name = ${params.name} AND owner = ${params.owner}`);
}
