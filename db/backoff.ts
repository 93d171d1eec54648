import { Cron } from "croner";
import {
  BACKOFF_SECONDS_MAX,
  DEFAULT_LEVELS_SECONDS,
  RETRY_STRATEGIES,
  type RetryStrategy,
} from "./event-type-settings.ts";

export interface BackoffPolicy {
  /** As the row stores it; foreign code may have written any text. Unknown text means EXPONENTIAL. */
  readonly strategy: string;
  readonly firstIntervalSeconds: number;
  readonly levelsSeconds?: readonly number[];
  readonly rangeSeconds?: readonly [number, number];
  readonly cron?: string | undefined;
  readonly jitter?: number;
  readonly capSeconds?: number;
}

export interface Chance {
  /** A number from 0 (included) to 1 (excluded). */
  readonly random: () => number;
  /** The database's present instant in epoch milliseconds; only CRON asks. */
  readonly databaseNowMs: () => number;
}

const WAIT_MS_MIN = 1;

/**
 * The wait after the n-th counted failure (n from 1), in whole milliseconds: at least 1, at most the cap and never more
 * than 24 hours, for any input.
 */
export function backoffMs(policy: BackoffPolicy, failures: number, chance: Chance): number {
  const capMs = capMsOf(policy.capSeconds);
  const failed = Math.max(1, Math.trunc(failures) || 1);
  const plain = clamp(Math.round(plainWaitMs(policy, failed, chance)), WAIT_MS_MIN, capMs);
  const jitter = clamp(policy.jitter ?? 0, 0, 1);
  if (jitter === 0) return plain;
  return clamp(Math.round(plain * (1 + jitter * (chance.random() * 2 - 1))), WAIT_MS_MIN, capMs);
}

/** A wait that a handler asked for, brought into the same limits. */
export function boundedWaitMs(ms: number, capSeconds?: number): number {
  return clamp(Math.ceil(ms), WAIT_MS_MIN, capMsOf(capSeconds));
}

function plainWaitMs(policy: BackoffPolicy, n: number, chance: Chance): number {
  const firstMs = clamp(policy.firstIntervalSeconds, 1, BACKOFF_SECONDS_MAX) * 1_000;
  switch (strategyOf(policy.strategy)) {
    case "FIXED":
      return firstMs;
    case "EXPONENTIAL":
      // 2^17 s is beyond the cap for any first interval, so a larger exponent would only lose precision.
      return firstMs * 2 ** Math.min(n - 1, 17);
    case "LINEAR":
      return firstMs * n;
    case "LEVELS": {
      const levels = policy.levelsSeconds?.length ? policy.levelsSeconds : DEFAULT_LEVELS_SECONDS;
      return (levels[Math.min(n, levels.length) - 1] ?? BACKOFF_SECONDS_MAX) * 1_000;
    }
    case "RANDOM": {
      const [from, to] = policy.rangeSeconds ?? [policy.firstIntervalSeconds, policy.firstIntervalSeconds];
      return (from + (to - from) * chance.random()) * 1_000;
    }
    case "CRON":
      return cronWaitMs(policy.cron, chance.databaseNowMs()) ?? firstMs;
  }
}

function cronWaitMs(expression: string | undefined, nowMs: number): number | undefined {
  if (expression === undefined) return undefined;
  try {
    const next = new Cron(expression, { paused: true, timezone: "UTC" }).nextRun(new Date(nowMs));
    return next ? next.getTime() - nowMs : undefined;
  } catch {
    return undefined;
  }
}

function strategyOf(stored: string): RetryStrategy {
  const name = stored.trim().toUpperCase();
  return RETRY_STRATEGIES.find((known) => known === name) ?? "EXPONENTIAL";
}

function capMsOf(capSeconds: number | undefined): number {
  return Math.floor(clamp(capSeconds ?? BACKOFF_SECONDS_MAX, 1, BACKOFF_SECONDS_MAX) * 1_000);
}

/** NaN becomes the lower limit: no input leads to a wait outside the limits. */
function clamp(value: number, min: number, max: number): number {
  return value >= min ? Math.min(value, max) : min;
}
