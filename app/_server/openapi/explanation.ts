import * as z from "zod";
import type { ExplanationCode } from "../../../db/explain-task.ts";
import { count, instant, taskStatus } from "./parts.ts";

const poolsFull = { running: count, concurrency: count, workers: count };
const livingWorkers = count;
const withinMs = z.number();
const hasRecycler = z.boolean();
const reason = z.string().optional();

const hold = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("paused"), reason }),
  z.strictObject({ kind: z.literal("no_worker"), livingWorkers }),
  z.strictObject({ kind: z.literal("pools_full"), ...poolsFull }),
]);

const PARAMS = {
  not_live: {},
  archived: {
    status: taskStatus.optional(),
    statusCode: z.int(),
    finishedAt: instant.optional(),
    archivedAt: instant,
  },
  succeeded: { at: instant, isSkipped: z.boolean() },
  cancelled: { at: instant },
  failed: { at: instant, reason, retryCount: count, maxRetryCount: count, recycleCount: count },
  unknown_status: { statusCode: z.int() },
  running: {
    owner: z.string(),
    host: z.string(),
    pid: z.int(),
    since: instant,
    runningMs: z.number(),
    isDraining: z.boolean(),
  },
  owner_dead: { owner: z.string(), withinMs, hasRecycler },
  owner_unknown: { owner: z.string().optional(), withinMs, hasRecycler },
  delayed: {
    until: instant,
    inMs: z.number(),
    retryCount: count,
    maxRetryCount: count,
    hold: hold.optional().meta({ description: "what will still hold it then, as things are now" }),
  },
  paused: { reason },
  no_worker: { livingWorkers },
  pools_full: poolsFull,
  due: { overdueMs: z.number(), withinMs },
} as const satisfies Record<ExplanationCode, z.ZodRawShape>;

const [first, ...others] = Object.entries<z.ZodRawShape>(PARAMS).map(([code, shape]) =>
  z.strictObject({
    code: z.literal(code),
    params: z.strictObject({ id: z.string(), eventType: z.string().optional(), ...shape }),
  }),
);
if (!first) throw new Error("there is no explanation");

/** Why a task is not running now, or that it is: a code with what a sentence about it needs. */
export const explanation = z.discriminatedUnion("code", [first, ...others]).meta({ id: "TaskExplanation" });
