import type { EventTypeSettings } from "../../db/event-type-settings.ts";
import type { ClaimedTask } from "../../db/queries/claim-tasks.ts";
import type { Clock } from "./clock.ts";

/** Claimed tasks may wait for a slot only as many as are expected to get one within so long. */
const PREFETCH_MS = 50;

/** No run is taken for shorter than this, so that one instant run does not open the whole queue. */
const RUN_MS_MIN = 0.2;

type Limits = Pick<EventTypeSettings, "concurrency" | "queueSize">;

interface Waiting {
  readonly task: ClaimedTask;
  readonly isEager: boolean;
  readonly sinceMs: number;
}

/**
 * The slots of one event type in this process. Types never share slots, so one that hangs or is flooded delays no
 * other. A bounded queue behind the slots holds claimed tasks, but only as many as run within a blink at the present
 * speed: a slow type keeps its backlog in the table, where other processes can take it.
 */
export class EventTypePool {
  /** Called whenever there may be room again. */
  onRoom: () => void = () => undefined;
  /** Set by the poller while the table holds more due tasks than fit here. */
  hasBacklog = false;
  #limits: Limits;
  #running = 0;
  #reserved = 0;
  #eagerInside = 0;
  #averageRunMs = Number.POSITIVE_INFINITY;
  #waiting: Waiting[] = [];
  #idle: (() => void)[] = [];
  readonly #run: (task: ClaimedTask, isEager: boolean) => Promise<void>;
  readonly #clock: Clock;

  /** @param run executes one task to its end and never rejects. */
  constructor(limits: Limits, clock: Clock, run: (task: ClaimedTask, isEager: boolean) => Promise<void>) {
    this.#limits = limits;
    this.#clock = clock;
    this.#run = run;
  }

  set limits(limits: Limits) {
    this.#limits = limits;
    this.#fill();
    this.onRoom();
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#waiting.length;
  }

  get concurrency(): number {
    return this.#limits.concurrency;
  }

  /** Claimed tasks that may wait at the present speed. */
  get prefetch(): number {
    const perRun = Math.max(this.#averageRunMs, RUN_MS_MIN);
    return Math.min(this.#limits.queueSize, Math.floor((this.#limits.concurrency * PREFETCH_MS) / perRun));
  }

  /** How many more tasks may be claimed now. */
  get room(): number {
    const inside = this.#running + this.#waiting.length + this.#reserved;
    return Math.max(0, this.#limits.concurrency + this.prefetch - inside);
  }

  /** The poller's threshold: while claimed tasks wait, it claims again only when half of the prefetch is used up. */
  get claimableRoom(): number {
    const { room } = this;
    return this.#waiting.length > 0 && room < this.prefetch / 2 ? 0 : room;
  }

  /**
   * Sets a place aside for a task that is about to be born claimed. While older tasks wait in the table, new ones get
   * at most half of the slots, so that neither starves the other.
   */
  reserve(): boolean {
    if (this.room === 0) return false;
    if (this.hasBacklog && this.#eagerInside >= Math.ceil(this.#limits.concurrency / 2)) return false;
    this.#reserved++;
    this.#eagerInside++;
    return true;
  }

  /** Gives a reserved place back unused. */
  unreserve(): void {
    this.#reserved--;
    this.#eagerInside--;
    this.onRoom();
  }

  /** Runs a task in its reserved place. */
  submitReserved(task: ClaimedTask): void {
    this.#reserved--;
    this.#submit(task, true);
  }

  submit(task: ClaimedTask): void {
    this.#submit(task, false);
  }

  /** Empties the queue: the claims that have not begun. */
  takeQueued(): ClaimedTask[] {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#eagerInside -= taken.filter((one) => one.isEager).length;
    return taken.map((one) => one.task);
  }

  /** Empties the queue if its head has waited too long: the type has become slow, others may have free slots. */
  takeStalled(waitMs: number): ClaimedTask[] {
    const head = this.#waiting[0];
    if (!head || this.#clock.monotonicMs() - head.sinceMs < waitMs) return [];
    this.#averageRunMs = Math.max(this.#averageRunMs, waitMs);
    return this.takeQueued();
  }

  /** Resolves when nothing runs or waits here. */
  whenIdle(): Promise<void> {
    if (this.#running === 0 && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #submit(task: ClaimedTask, isEager: boolean): void {
    if (this.#running < this.#limits.concurrency && this.#waiting.length === 0) this.#start(task, isEager);
    else this.#waiting.push({ task, isEager, sinceMs: this.#clock.monotonicMs() });
  }

  #start(task: ClaimedTask, isEager: boolean): void {
    this.#running++;
    const startedMs = this.#clock.monotonicMs();
    void this.#run(task, isEager).finally(() => {
      const runMs = this.#clock.monotonicMs() - startedMs;
      this.#averageRunMs = Number.isFinite(this.#averageRunMs) ? this.#averageRunMs * 0.8 + runMs * 0.2 : runMs;
      this.#running--;
      if (isEager) this.#eagerInside--;
      this.#fill();
      this.onRoom();
      if (this.#running === 0 && this.#waiting.length === 0) {
        for (const resolve of this.#idle.splice(0)) resolve();
      }
    });
  }

  #fill(): void {
    while (this.#running < this.#limits.concurrency) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#start(next.task, next.isEager);
    }
  }
}
