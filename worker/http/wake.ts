import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { isOutage } from "../../db/mysql-errors.ts";
import type { Engine } from "../engine/index.ts";
import { requireBearerToken } from "./bearer-token.ts";
import { HttpProblem } from "./problem.ts";
import { readJsonBody } from "./request-body.ts";

/** Largest number of ids in one request. */
export const WAKE_IDS_MAX = 1_000;

const ID_MAX = 9_223_372_036_854_775_807n;

const idSchema = z
  .union([
    z.string().regex(/^[1-9]\d{0,18}$/, "must be a task id in decimal digits"),
    z
      .number()
      .refine(
        (id) => Number.isSafeInteger(id) && id > 0,
        "must be a whole number from 1 to 2^53 - 1; write larger ids as text",
      )
      .transform(String),
  ])
  .refine((id) => !/^\d+$/.test(id) || BigInt(id) <= ID_MAX, `must not exceed ${ID_MAX}`);

const wakeSchema = z.strictObject({ ids: z.array(idSchema).min(1).max(WAKE_IDS_MAX) });

/**
 * `POST /v1/wake` {"ids": ["1", …]}: runs those of the tasks that are pending and due now, as far as this process has
 * room; the poller does the rest. Answers how many were claimed.
 * @throws HttpProblem 401, 403, 413, 415, 400 for what is wrong with the request, 503 while the engine cannot claim.
 */
export async function wake(
  request: IncomingMessage,
  engine: Pick<Engine, "wake" | "health">,
  token: string | undefined,
): Promise<{ claimed: number }> {
  requireBearerToken(request, token);
  const parsed = wakeSchema.safeParse(await readJsonBody(request));
  if (!parsed.success) {
    throw new HttpProblem(400, 'the body must be {"ids": ["1", …]}', { errors: problemLines(parsed.error) });
  }
  const { state } = engine.health();
  if (state !== "running") {
    throw new HttpProblem(503, `this worker takes no tasks now (${state}); the tasks wait for a poller`);
  }
  try {
    const { claimed } = await engine.wake([...new Set(parsed.data.ids)]);
    return { claimed };
  } catch (error) {
    if (!isOutage(error)) throw error;
    throw new HttpProblem(503, "the database is not available; the tasks wait for a poller", {
      headers: { "retry-after": "5" },
    });
  }
}

/** At most ten lines, so that a body full of mistakes is not answered with a longer one. */
function problemLines(error: z.ZodError): string[] {
  const lines = error.issues.map((issue) => {
    const nested =
      issue.code === "invalid_union" ? issue.errors.flat().filter((one) => one.code !== "invalid_type") : [];
    const messages = nested.map((one) => one.message).join(" or ");
    return `${issue.path.join(".") || "body"}: ${messages || (issue.code === "invalid_union" ? "must be a task id as text" : issue.message)}`;
  });
  return lines.length > 10 ? [...lines.slice(0, 9), `and ${lines.length - 9} more`] : lines;
}
