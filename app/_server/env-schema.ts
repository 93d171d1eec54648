import type { BlockList } from "node:net";
import * as z from "zod";
import { type ConnectionSettings, parseDatabaseUrl } from "../../db/connection-options.ts";
import { SessionZone } from "../../db/session-zone.ts";
import { parseNetworks } from "./client-address.ts";
import { type OidcSettings, oidcSettings, oidcVariables } from "./oidc-settings.ts";

/** The settings of the console. Every variable it reads is in this object. */
const schema = z.object({
  /** Where the tasks are: mysql://user:password@host:3306/database. */
  DATABASE_URL: z
    .string({ error: "is not set; expected mysql://user:password@host:3306/database" })
    .transform(parsedBy((text): ConnectionSettings => parseDatabaseUrl(text))),
  /** Fixed offset in which the tables store instants; the same as that of the workers. */
  REDRIVE_ZONE: z
    .string()
    .default("+00:00")
    .transform(parsedBy((text) => SessionZone.parse(text))),
  /** How often the workers look for dead owners, as it is set for them: what the console says of it is as right as this. */
  REDRIVE_RECYCLE_INTERVAL_MS: milliseconds({ min: 100, max: 60_000, otherwise: 1_000 }),
  /** After which silence a task of an unknown owner is taken back, as it is set for the workers. */
  REDRIVE_FOREIGN_AFTER_MS: milliseconds({ min: 1_000, max: 2_592_000_000, otherwise: 180_000 }),
  /** The public origin if a reverse proxy stands in front: https://ops.example.com. */
  REDRIVE_CONSOLE_ORIGIN: optionalText(
    z.string().transform(
      parsedBy((text) => {
        const { origin, protocol } = new URL(text);
        if (protocol !== "https:" && protocol !== "http:") throw new Error("is not an http or https origin");
        return origin;
      }),
    ),
  ),
  /** A machine's key to everything: Authorization: Bearer <token>. */
  REDRIVE_CONSOLE_TOKEN: optionalText(z.string().min(32, "is shorter than 32 characters")),
  /** Addresses and networks of the proxies whose X-Forwarded-For is believed: 127.0.0.1, 10.0.0.0/8. */
  REDRIVE_TRUSTED_PROXIES: z
    .string()
    .default("")
    .transform(parsedBy((text) => parseNetworks(text))),
  /** 1: the console shows everything and changes nothing. */
  REDRIVE_READ_ONLY: z.preprocess(
    (value) => (value === "" ? undefined : value),
    z
      .enum(["0", "1"], { error: "is neither 0 nor 1" })
      .default("0")
      .transform((text) => text === "1"),
  ),
  /** What the badge of every page says: staging, production. */
  REDRIVE_ENVIRONMENT: optionalText(z.string().trim().max(32, "is longer than 32 characters")),
  /** For so long after a person proved to be the one nothing asks for it again. */
  REDRIVE_CONFIRM_MINUTES: z.preprocess(
    (value) => (value === "" ? undefined : value),
    z
      .string()
      .regex(/^\d{1,3}$/, "is no number of minutes from 1 to 720")
      .default("10")
      .transform(Number)
      .refine((minutes) => minutes >= 1 && minutes <= 720, "is no number of minutes from 1 to 720"),
  ),
  ...oidcVariables,
});

export interface ConsoleEnv {
  readonly connection: ConnectionSettings;
  readonly zone: SessionZone;
  /** As the workers are tuned. */
  readonly tuning: { readonly recycleIntervalMs: number; readonly foreignAfterMs: number };
  readonly publicOrigin: string | undefined;
  readonly token: string | undefined;
  readonly trustedProxies: BlockList;
  readonly isReadOnly: boolean;
  readonly environment: string | undefined;
  readonly confirmMinutes: number;
  /** Undefined: nobody signs in by OpenID Connect. */
  readonly oidc: OidcSettings | undefined;
  readonly takesPasswords: boolean;
}

/** Settings that cannot be used. The message names every problem, one on each line, and no secret. */
export class ConsoleEnvError extends Error {
  override readonly name = "ConsoleEnvError";
}

/** @throws ConsoleEnvError naming all problems at once. */
export function parseConsoleEnv(source: Readonly<Record<string, string | undefined>>): ConsoleEnv {
  const result = schema.safeParse(source);
  const problems = (result.error?.issues ?? []).map(({ path, message }) => {
    const name = path.join(".");
    return message.startsWith(name) ? message : `${name}: ${message}`;
  });
  // Read by itself, so that what is wrong elsewhere hides nothing that is wrong between its variables.
  const together = z.object(oidcVariables).safeParse(source);
  const oidc = together.success
    ? oidcSettings(together.data, (name, message) => problems.push(`${name}: ${message}`))
    : undefined;
  if (!result.success || problems.length > 0) {
    throw new ConsoleEnvError(`The console cannot start:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  }
  const env = result.data;
  return {
    connection: env.DATABASE_URL,
    zone: env.REDRIVE_ZONE,
    tuning: { recycleIntervalMs: env.REDRIVE_RECYCLE_INTERVAL_MS, foreignAfterMs: env.REDRIVE_FOREIGN_AFTER_MS },
    publicOrigin: env.REDRIVE_CONSOLE_ORIGIN,
    token: env.REDRIVE_CONSOLE_TOKEN,
    trustedProxies: env.REDRIVE_TRUSTED_PROXIES,
    isReadOnly: env.REDRIVE_READ_ONLY,
    environment: env.REDRIVE_ENVIRONMENT,
    confirmMinutes: env.REDRIVE_CONFIRM_MINUTES,
    oidc,
    takesPasswords: env.REDRIVE_PASSWORD_SIGN_IN === "1",
  };
}

function milliseconds({ min, max, otherwise }: { min: number; max: number; otherwise: number }) {
  const problem = `is not a number of milliseconds from ${min} to ${max}`;
  return z.preprocess(
    (value) => (value === "" ? undefined : value),
    z.coerce.number({ error: problem }).int(problem).min(min, problem).max(max, problem).default(otherwise),
  );
}

/** An empty variable counts as unset: that is how compose files and unit files switch one off. */
function optionalText<Schema extends z.ZodType>(inner: Schema) {
  return z.preprocess((value) => (value === "" ? undefined : value), inner.optional());
}

/** Makes what a parser throws a problem of the variable. */
function parsedBy<Result>(parse: (text: string) => Result) {
  return (text: string, context: z.core.$RefinementCtx<string>): Result => {
    try {
      return parse(text);
    } catch (error) {
      context.issues.push({
        code: "custom",
        input: text,
        message: error instanceof Error ? error.message : String(error),
      });
      return z.NEVER;
    }
  };
}
