import { type Clock, systemClock } from "../engine/clock.ts";

/** The system clock, with every wait that was asked of it. */
export class RecordingClock implements Clock {
  readonly waitsMs: number[] = [];
  /** Those of them that a loop slept between two turns. */
  readonly sleepsMs: number[] = [];

  monotonicMs(): number {
    return systemClock.monotonicMs();
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.waitsMs.push(ms);
    this.sleepsMs.push(ms);
    return systemClock.sleep(ms, signal);
  }

  after(ms: number, action: () => void): () => void {
    this.waitsMs.push(ms);
    return systemClock.after(ms, action);
  }
}
