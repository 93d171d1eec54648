import { z } from "zod";

type Env = Readonly<Record<string, string | undefined>>;

const wholeNumber = (min: number, max: number) =>
  z.string().regex(/^\d+$/, "must be a whole number").transform(Number).pipe(z.number().min(min).max(max));

const yesOrNo = z.enum(["true", "false"]).transform((text) => text === "true");

const share = z.number().min(0).max(1);

const ratesSchema = z
  .strictObject({
    /** Share of tasks that are always refused with 422: trying again is pointless. */
    rejected: share.default(0.02),
    /** Share that always gets 500: uses up its attempts. */
    broken: share.default(0.02),
    /** Share that gets 500 twice, then succeeds. */
    flaky: share.default(0.06),
    /** Share that gets 429 with Retry-After once, then succeeds. */
    busy: share.default(0.03),
    /** Share whose first call is never answered. */
    hanging: share.default(0.01),
    /** Share whose calls take `DOWNSTREAM_SLOW_MS`. */
    slow: share.default(0.05),
  })
  .refine((rates) => Object.values(rates).reduce((sum, one) => sum + one, 0) <= 1, "must not add up to more than 1");

/** How often the downstream misbehaves in which way. */
export type Rates = z.infer<typeof ratesSchema>;

const handlerSchema = z.object({
  DOWNSTREAM_URL: z.url().default("http://127.0.0.1:3003"),
  ORDER_CONCURRENCY: wholeNumber(1, 1_000).default(16),
  ORDER_POLL_INTERVAL_MS: wholeNumber(50, 3_600_000).default(1_000),
  ORDER_TIME_LIMIT_MS: wholeNumber(10, 86_400_000).default(3_000),
  ORDER_RETRY_STRATEGY: z.enum(["FIXED", "EXPONENTIAL", "LINEAR"]).default("FIXED"),
  ORDER_RETRY_SECONDS: wholeNumber(1, 86_400).default(1),
  ORDER_RETRY_MAX: wholeNumber(1, 1_000).default(3),
});

const serviceSchema = handlerSchema.extend({
  DATABASE_URL: z.string().min(1),
  ORDER_SERVICE_PORT: wholeNumber(0, 65_535).default(3_002),
  /** False where worker processes stand beside the service: it then only runs what it has just created. */
  ORDER_SERVICE_POLLS: yesOrNo.default(true),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
});

const downstreamSchema = z.object({
  DOWNSTREAM_PORT: wholeNumber(0, 65_535).default(3_003),
  DOWNSTREAM_LEDGER: z.string().min(1).default("downstream-ledger.jsonl"),
  /** JSON such as {"broken":0.1}; what is left out keeps its default. */
  DOWNSTREAM_RATES: z.string().default("{}").transform(parseJson).pipe(ratesSchema),
  DOWNSTREAM_SLOW_MS: wholeNumber(0, 60_000).default(700),
});

export type HandlerEnv = z.infer<typeof handlerSchema>;
export type ServiceEnv = z.infer<typeof serviceSchema>;
export type DownstreamEnv = z.infer<typeof downstreamSchema>;

/** The environment is wrong; the message has a line for each problem. */
export class EnvError extends Error {
  override readonly name = "EnvError";
}

/** @throws EnvError naming every problem at once. */
export const parseHandlerEnv = (env: Env): HandlerEnv => parse(handlerSchema, env);

/** @throws EnvError naming every problem at once. */
export const parseServiceEnv = (env: Env): ServiceEnv => parse(serviceSchema, env);

/** @throws EnvError naming every problem at once. */
export const parseDownstreamEnv = (env: Env): DownstreamEnv => parse(downstreamSchema, env);

/** An empty variable counts as not set. */
function parse<Output>(schema: z.ZodType<Output>, env: Env): Output {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  throw new EnvError(parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n"));
}

function parseJson(text: string, ctx: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    ctx.addIssue({ code: "custom", message: "is not JSON" });
    return z.NEVER;
  }
}
