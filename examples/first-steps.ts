import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/mysql2";
import { createPool, type Pool } from "mysql2/promise";
import { fileURLToPath } from "node:url";
import { createEngine, defineHandler } from "../worker/engine/index.ts";
import { createTables } from "./orders/create-tables.ts";
import { demoOrder } from "./orders/schema.ts";

/** An order and its receipt in one transaction: no order without a receipt, no receipt without an order. */
export async function firstSteps(pool: Pool, orderId: string): Promise<void> {
  const db = drizzle(pool);
  await createTables(db);

  const sendReceipt = defineHandler({
    eventType: "SEND_RECEIPT",
    retry: { strategy: "EXPONENTIAL", firstIntervalSeconds: 10, maxRetryCount: 8 },
    handle: async (task) => {
      const [order] = await db.select().from(demoOrder).where(eq(demoOrder.id, task.bizKey));
      console.log(`receipt for order ${task.bizKey}: ${order?.amountCents} cents`);
    },
  });
  const engine = createEngine({ database: db, handlers: [sendReceipt] });
  await engine.start();

  await engine.transaction(async (tx) => {
    await tx.insert(demoOrder).values({ id: orderId, amountCents: 4_200 });
    await engine.enqueue(tx, { eventType: "SEND_RECEIPT", bizKey: orderId });
  }); // committed: the handler is already running

  await engine.stop();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const pool = createPool(process.env["DATABASE_URL"] ?? "mysql://root@127.0.0.1:3306/redrive");
  await firstSteps(pool, `order-${process.pid}-${Date.now()}`).finally(() => pool.end());
}
