import { createWriteStream, mkdirSync, type WriteStream } from "node:fs";
import { dirname } from "node:path";
import type { Answer, System } from "./downstream-behaviour.ts";

/** One call that the downstream received; one line of the ledger file. */
export interface LedgerEntry {
  readonly at: string;
  readonly system: System;
  readonly orderId: string;
  readonly idempotencyKey: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly claimNo: number;
  /** Process that called. */
  readonly pid: number;
  readonly behaviour: Answer["behaviour"];
  readonly status: number | null;
  /** What came of it: nothing, the effect, or the answer of an effect that this idempotency key had caused before. */
  readonly effect: "none" | "done" | "replayed";
}

export interface LedgerSummary {
  calls: number;
  /** Calls that had an effect; never more than one per idempotency key. */
  effects: number;
  /** Successful calls whose key had had its effect before. */
  replayed: number;
  /** Calls that came again for the same attempt of the same task: its worker died, or it ran twice. */
  repeatedAttempts: number;
  readonly byStatus: Record<string, number>;
}

/** Oldest keys are forgotten beyond so many, as payment providers do after a day. */
const KEYS_MAX = 500_000;

/** Writes down every call and knows which idempotency keys have had their effect. */
export class Ledger {
  readonly #file: WriteStream;
  readonly #keys = new Map<string, { isDone: boolean; lastAttempt: number }>();
  readonly #summary: LedgerSummary = { calls: 0, effects: 0, replayed: 0, repeatedAttempts: 0, byStatus: {} };

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.#file = createWriteStream(path, { flags: "a" });
  }

  get summary(): LedgerSummary {
    return this.#summary;
  }

  /** Appends the call and answers what came of it. */
  record(call: Omit<LedgerEntry, "at" | "effect">): LedgerEntry["effect"] {
    const known = this.#keys.get(call.idempotencyKey);
    const isSuccess = call.status === 200;
    const effect = !isSuccess ? "none" : known?.isDone ? "replayed" : "done";
    this.#keys.set(call.idempotencyKey, {
      isDone: isSuccess || (known?.isDone ?? false),
      lastAttempt: Math.max(call.attempt, known?.lastAttempt ?? 0),
    });
    if (this.#keys.size > KEYS_MAX) this.#keys.delete(this.#keys.keys().next().value ?? "");
    this.#count(call, effect, call.attempt <= (known?.lastAttempt ?? 0));
    const entry: LedgerEntry = { at: new Date().toISOString(), ...call, effect };
    this.#file.write(`${JSON.stringify(entry)}\n`);
    return effect;
  }

  /** Resolves when every line is in the file. */
  async close(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#file.once("error", reject);
      this.#file.end(resolve);
    });
  }

  #count(call: { readonly status: number | null }, effect: LedgerEntry["effect"], isRepeated: boolean): void {
    const status = String(call.status ?? "none");
    this.#summary.calls++;
    this.#summary.byStatus[status] = (this.#summary.byStatus[status] ?? 0) + 1;
    if (effect === "done") this.#summary.effects++;
    if (effect === "replayed") this.#summary.replayed++;
    if (isRepeated) this.#summary.repeatedAttempts++;
  }
}
