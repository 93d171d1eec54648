import type { Clock } from "./clock.ts";
import type { EngineEvents } from "./events.ts";

const ERROR_WAIT_MS_MAX = 3_000;

/**
 * A loop that outlives every error of its passes. `runOnce` answers how long to wait for the next pass; `wake` cuts the
 * wait short; `stop` resolves when the present pass has ended.
 */
export abstract class Loop {
  readonly name: string;
  protected readonly clock: Clock;
  protected readonly events: EngineEvents;
  readonly #stopping = new AbortController();
  #sleeping: AbortController | undefined;
  #wokenEarly = false;
  #running: Promise<void> | undefined;

  constructor(name: string, clock: Clock, events: EngineEvents) {
    this.name = name;
    this.clock = clock;
    this.events = events;
  }

  /** One pass. Answers the wait until the next one in milliseconds; throws what went wrong. */
  abstract runOnce(): Promise<number>;

  /** True from its start until it is told to stop. */
  protected get isRunning(): boolean {
    return this.#running !== undefined && !this.isStopping;
  }

  protected get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Aborts when the loop is told to stop. */
  protected get stopSignal(): AbortSignal {
    return this.#stopping.signal;
  }

  start(firstWaitMs = 0): void {
    this.#running ??= this.#run(firstWaitMs);
  }

  wake(): void {
    if (this.#sleeping) this.#sleeping.abort();
    else this.#wokenEarly = true;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#sleeping?.abort();
    await this.#running;
  }

  async #run(firstWaitMs: number): Promise<void> {
    let waitMs = firstWaitMs;
    let failures = 0;
    while (!this.isStopping) {
      await this.#sleep(waitMs);
      if (this.isStopping) return;
      try {
        waitMs = await this.runOnce();
        failures = 0;
      } catch (error) {
        failures++;
        this.events.emit("loopError", { loop: this.name, error });
        waitMs = Math.min(ERROR_WAIT_MS_MAX, 100 * 2 ** Math.min(failures, 6)) * (0.75 + Math.random() * 0.5);
        this.#wokenEarly = false;
      }
    }
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#wokenEarly || ms <= 0) {
      this.#wokenEarly = false;
      return;
    }
    this.#sleeping = new AbortController();
    await this.clock.sleep(ms, this.#sleeping.signal);
    this.#sleeping = undefined;
  }
}
