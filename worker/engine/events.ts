import { EventEmitter } from "node:events";
import type { TaskStatus } from "../../db/schema/task-status.ts";

export interface TaskEvent {
  readonly eventType: string;
  readonly id: string;
  readonly claimNo: number;
}

/** Everything the engine reports. Logs, metrics and tests listen; the engine formats nothing. */
export interface EngineEventMap {
  /** Rows were created; `eager` of them were born claimed, `rejected` found no free slot here. */
  enqueued: { readonly eventType: string; readonly count: number; readonly eager: number };
  rejected: { readonly eventType: string; readonly count: number };
  claimed: { readonly eventType: string; readonly count: number; readonly limit: number };
  started: TaskEvent & { readonly isEager: boolean };
  succeeded: TaskEvent & { readonly durationMs: number; readonly isSkipped: boolean };
  rescheduled: TaskEvent & { readonly retryCount: number; readonly delayMs: number; readonly error: string };
  failed: TaskEvent & { readonly reason: string; readonly error: string };
  snoozed: TaskEvent & { readonly delayMs: number };
  cancelled: TaskEvent;
  /** Claims were given back; `delayMs`: they are due again after so long, left out: as before. */
  released: {
    readonly eventType: string;
    readonly count: number;
    readonly reason: string;
    readonly delayMs?: number | undefined;
  };
  recycled: { readonly eventType: string; readonly count: number; readonly failedForGood: number };
  /** A result that was refused because the claim is no longer held. */
  stale: TaskEvent & { readonly tried: string; readonly foundStatus: TaskStatus | "gone"; readonly lateMs: number };
  /** A loop's pass failed; the loop goes on. */
  loopError: { readonly loop: string; readonly error: unknown };
  outage: { readonly error: unknown };
  recovered: { readonly afterMs: number };
}

export type EngineEventName = keyof EngineEventMap;

/** Typed events whose listeners cannot harm the engine: what they throw is swallowed. */
export class EngineEvents {
  readonly #emitter = new EventEmitter();

  constructor() {
    this.#emitter.setMaxListeners(0);
  }

  on<Name extends EngineEventName>(name: Name, listener: (event: EngineEventMap[Name]) => void): () => void {
    const safe = (event: EngineEventMap[Name]): void => {
      try {
        listener(event);
      } catch {
        // A broken listener is its owner's problem.
      }
    };
    this.#emitter.on(name, safe);
    return () => {
      this.#emitter.off(name, safe);
    };
  }

  emit<Name extends EngineEventName>(name: Name, event: EngineEventMap[Name]): void {
    this.#emitter.emit(name, event);
  }
}
