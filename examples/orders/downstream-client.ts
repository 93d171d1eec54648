import { type AttemptContext, NonRetryableError, RetryAfterError, type Task } from "../../worker/engine/index.ts";
import type { System } from "./downstream-behaviour.ts";

const ERROR_TEXT_MAX = 500;
const RETRY_AFTER_SECONDS_DEFAULT = 5;

/**
 * Calls one of the downstream's systems for a task. Returning means that the effect has happened.
 * @throws NonRetryableError for 422, RetryAfterError for 429, Error for any other refusal or no answer.
 */
export async function callDownstream(
  baseUrl: string,
  system: System,
  task: Task<{ readonly orderId: string }>,
  ctx: AttemptContext,
): Promise<void> {
  const response = await fetch(new URL(`/${system}`, baseUrl), {
    method: "POST",
    signal: ctx.signal,
    headers: {
      "content-type": "application/json",
      "idempotency-key": ctx.idempotencyKey,
      "x-task-id": task.id,
      "x-attempt": String(ctx.attempt),
      "x-claim-number": String(ctx.claimNo),
      "x-process-id": String(process.pid),
    },
    body: JSON.stringify(task.bizContext),
  });
  const text = await response.text();
  if (response.ok) return;
  const message = `${system} answered ${response.status}: ${text.slice(0, ERROR_TEXT_MAX)}`;
  if (response.status === 422) throw new NonRetryableError(message);
  if (response.status === 429) throw new RetryAfterError({ seconds: retryAfterSeconds(response) }, message);
  throw new Error(message);
}

function retryAfterSeconds(response: Response): number {
  const seconds = Number(response.headers.get("retry-after"));
  return Number.isInteger(seconds) && seconds > 0 ? seconds : RETRY_AFTER_SECONDS_DEFAULT;
}
