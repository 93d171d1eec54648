import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/mysql2";
import type { PoolConnection } from "mysql2/promise";
import type { DrizzleTransaction } from "../../worker/engine/index.ts";
import { demoOrder } from "./schema.ts";

/**
 * Books the payment of an order inside the transaction of `ctx.transaction`. That is a Drizzle transaction where the
 * engine was given a Drizzle database, as in the service, and a mysql2 connection in the worker process.
 */
export async function markPaid(tx: DrizzleTransaction | PoolConnection, orderId: string): Promise<void> {
  const db = "update" in tx ? tx : drizzle(tx);
  await db
    .update(demoOrder)
    .set({ state: "paid", paidCount: sql`${demoOrder.paidCount} + 1` })
    .where(eq(demoOrder.id, orderId));
}
