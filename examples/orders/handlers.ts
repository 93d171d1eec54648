import type { PoolConnection } from "mysql2/promise";
import { z } from "zod";
import { defineHandler, type DrizzleTransaction, type Handler } from "../../worker/engine/index.ts";
import { callDownstream } from "./downstream-client.ts";
import { parseHandlerEnv } from "./env.ts";
import { markPaid } from "./mark-paid.ts";

const orderRef = z.object({ orderId: z.string() });

/** The handlers of the order service. The service embeds them; a worker process loads this module by `REDRIVE_HANDLERS`. */
export default async function orderHandlers(
  processEnv: Readonly<Record<string, string | undefined>>,
): Promise<Handler[]> {
  const env = parseHandlerEnv(processEnv);
  const downstreamUrl = env.DOWNSTREAM_URL;
  const shared = {
    schema: orderRef,
    concurrency: env.ORDER_CONCURRENCY,
    pollIntervalMs: env.ORDER_POLL_INTERVAL_MS,
    timeLimitMs: env.ORDER_TIME_LIMIT_MS,
    retry: {
      strategy: env.ORDER_RETRY_STRATEGY,
      firstIntervalSeconds: env.ORDER_RETRY_SECONDS,
      maxRetryCount: env.ORDER_RETRY_MAX,
    },
  } as const;

  /** The downstream takes the money at most once per idempotency key; order and task end together or not at all. */
  const payOrder = defineHandler({
    ...shared,
    eventType: "PAY_ORDER",
    handle: async (task, ctx) => {
      await callDownstream(downstreamUrl, "payment", task, ctx);
      await ctx.transaction((tx: DrizzleTransaction | PoolConnection) => markPaid(tx, task.bizContext.orderId));
    },
  });

  const sendSms = defineHandler({
    ...shared,
    eventType: "SEND_SMS",
    handle: (task, ctx) => callDownstream(downstreamUrl, "sms", task, ctx),
  });

  const syncErp = defineHandler({
    ...shared,
    eventType: "SYNC_ERP",
    handle: (task, ctx) => callDownstream(downstreamUrl, "erp", task, ctx),
  });

  return [payOrder, sendSms, syncErp];
}
