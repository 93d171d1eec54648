import { z } from "zod";
import type { DrizzleTransaction, Engine } from "../../worker/engine/index.ts";
import type { EagerStartTimes } from "./eager-start-times.ts";
import { HttpError } from "./json-http.ts";
import { demoOrder } from "./schema.ts";

/** What a client sends to place an order. Without a phone there is no SMS; `syncErp: false` leaves the ERP out. */
export const orderSchema = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9-]{1,64}$/, "must be 1 to 64 letters, digits and dashes"),
  amountCents: z.number().int().min(1).max(100_000_000),
  phone: z.string().min(3).max(32).optional(),
  syncErp: z.boolean().default(true),
});

export type Order = z.infer<typeof orderSchema>;

export interface PlacedOrder {
  readonly id: string;
  readonly taskIds: readonly string[];
}

/**
 * Stores the order and its tasks in one transaction: all of it or nothing. After the commit the tasks run by themselves.
 * @throws HttpError 409 if there is such an order already.
 */
export async function placeOrder(
  engine: Engine<DrizzleTransaction>,
  order: Order,
  times: EagerStartTimes,
): Promise<PlacedOrder> {
  const { id, amountCents, phone, syncErp } = order;
  const eventTypes = ["PAY_ORDER", ...(phone === undefined ? [] : ["SEND_SMS"]), ...(syncErp ? ["SYNC_ERP"] : [])];
  let commitSentAt = 0;
  try {
    const verdicts = await engine.transaction(async (tx) => {
      await tx.insert(demoOrder).values({ id, amountCents, phone });
      const tasks = eventTypes.map((eventType) => ({ eventType, bizKey: id, bizContext: { orderId: id } }));
      const created = await engine.enqueueMany(tx, tasks);
      commitSentAt = times.now();
      return created;
    });
    const taskIds = verdicts.map((verdict) => verdict.id);
    times.committed(taskIds, { commitSentAt, committedAt: times.now() });
    return { id, taskIds };
  } catch (error) {
    if (hasCode(error, "ER_DUP_ENTRY")) throw new HttpError(409, `order ${id} exists already`, { cause: error });
    throw error;
  }
}

/** Drizzle wraps the driver's error as its cause. */
export function hasCode(error: unknown, code: string): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === code) || hasCode(error.cause, code);
}
