import type { Rates } from "./env.ts";

/** The systems that the downstream stands for. */
export const SYSTEMS = ["payment", "sms", "erp"] as const;
export type System = (typeof SYSTEMS)[number];

export interface Call {
  readonly system: System;
  readonly orderId: string;
  /** Number of the attempt among the counted ones, from 1. */
  readonly attempt: number;
}

export interface Answer {
  readonly behaviour: keyof Rates | "fine";
  /** Undefined: there is no answer. */
  readonly status: 200 | 422 | 429 | 500 | undefined;
  readonly afterMs: number;
  readonly retryAfterSeconds?: number;
}

const FLAKY_FAILURES = 2;
const FAILING_MS = 250;
const FINE_MS_MAX = 20;

/** How the downstream answers a call: the same for the same order number, system and attempt, in every run. */
export function answerTo(call: Call, settings: { readonly rates: Rates; readonly slowMs: number }): Answer {
  const draw = drawOf(call);
  const behaviour = behaviourAt(draw, settings.rates);
  const fine = { behaviour, status: 200, afterMs: Math.floor(draw * 1_000) % FINE_MS_MAX } as const;
  switch (behaviour) {
    case "fine":
      return fine;
    case "slow":
      return { ...fine, afterMs: settings.slowMs };
    case "rejected":
      return { ...fine, status: 422 };
    case "broken":
      return { ...fine, status: 500, afterMs: FAILING_MS };
    case "flaky":
      return call.attempt <= FLAKY_FAILURES ? { ...fine, status: 500, afterMs: FAILING_MS } : fine;
    case "busy":
      return call.attempt === 1 ? { ...fine, status: 429, retryAfterSeconds: 1 } : fine;
    case "hanging":
      return call.attempt === 1 ? { ...fine, status: undefined } : fine;
  }
}

function behaviourAt(draw: number, rates: Rates): Answer["behaviour"] {
  let upTo = 0;
  for (const behaviour of ["rejected", "broken", "flaky", "busy", "hanging", "slow"] as const) {
    upTo += rates[behaviour];
    if (draw < upTo) return behaviour;
  }
  return "fine";
}

/** From 0 (included) to 1 (excluded). Only what follows the last dash of the order id counts, so that two runs whose ids begin differently go alike. */
function drawOf({ system, orderId }: Call): number {
  const text = `${system}:${orderId.slice(orderId.lastIndexOf("-") + 1)}`;
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  // FNV leaves its last characters in the low bits; this mixes them into all.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
