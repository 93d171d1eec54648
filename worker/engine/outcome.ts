import type { Cancel, NonRetryableError, RedriveErrorCode, RetryAfterError, Snooze, When } from "./errors.ts";
import type { ErrorVerdict } from "./handler.ts";

/** The one end of an attempt. Everything that can happen to a handler becomes one of these, then it is recorded. */
export type Outcome =
  | { readonly kind: "succeeded" }
  | { readonly kind: "skipped" }
  /** The handler has committed the success in its own transaction. */
  | { readonly kind: "completed" }
  /** A counted failure; `isFinal`: trying again is pointless. `waitMs` replaces the wait of the strategy. */
  | {
      readonly kind: "failed";
      readonly thrown: unknown;
      readonly isFinal: boolean;
      readonly waitMs?: number | undefined;
    }
  /** Not run at all, because no attempt is left (rows written by foreign code). */
  | { readonly kind: "exhausted" }
  | { readonly kind: "snoozed"; readonly waitMs: number }
  | { readonly kind: "cancelled" }
  /** Given back uncounted: the process is stopping, or the database was away. */
  | { readonly kind: "released"; readonly reason: string; readonly delayMs?: number };

/** What a handler's return value means. */
export function outcomeOfResult(result: unknown): Outcome {
  if (result === false) return { kind: "failed", thrown: "the handler returned false", isFinal: false };
  if (isEnd<Snooze>(result, "Snooze", "SNOOZE")) return snoozed(result);
  if (isEnd<Cancel>(result, "Cancel", "CANCEL")) return { kind: "cancelled" };
  return { kind: "succeeded" };
}

/** What a thrown value means; a classifier that throws itself counts as "retry". */
export function outcomeOfThrown(thrown: unknown, classify: ((error: unknown) => ErrorVerdict) | undefined): Outcome {
  if (isEnd<Snooze>(thrown, "Snooze", "SNOOZE")) return snoozed(thrown);
  if (isEnd<Cancel>(thrown, "Cancel", "CANCEL")) return { kind: "cancelled" };
  if (isEnd<NonRetryableError>(thrown, "NonRetryableError", "NON_RETRYABLE"))
    return { kind: "failed", thrown, isFinal: true };
  if (isEnd<RetryAfterError>(thrown, "RetryAfterError", "RETRY_AFTER")) {
    return { kind: "failed", thrown, isFinal: false, waitMs: waitMsOf(thrown.when) };
  }
  const verdict = verdictOf(thrown, classify);
  if (verdict === "fail") return { kind: "failed", thrown, isFinal: true };
  if (verdict === "retry") return { kind: "failed", thrown, isFinal: false };
  return { kind: "failed", thrown, isFinal: false, waitMs: waitMsOf(verdict.retryAfter) };
}

/** By name and code, not by class: a team's handlers may bring their own copy of this library. */
function isEnd<End>(value: unknown, name: string, code: RedriveErrorCode): value is End {
  if (!(value instanceof Error)) return false;
  const { code: given } = value as { code?: unknown };
  return value.name === name && given === code;
}

function verdictOf(thrown: unknown, classify: ((error: unknown) => ErrorVerdict) | undefined): ErrorVerdict {
  if (!classify) return "retry";
  try {
    return classify(thrown) ?? "retry";
  } catch {
    return "retry";
  }
}

function snoozed(snooze: Snooze): Outcome {
  return { kind: "snoozed", waitMs: waitMsOf(snooze.when) ?? 1_000 };
}

/** The wait that a handler asked for in milliseconds; undefined if it names no moment. Dates are read by this process's clock. */
function waitMsOf(when: When | undefined): number | undefined {
  if (typeof when !== "object" || when === null) return undefined;
  const ms =
    when instanceof Date
      ? when.getTime() - Date.now()
      : "ms" in when
        ? when.ms
        : "seconds" in when
          ? when.seconds * 1_000
          : Number.NaN;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
