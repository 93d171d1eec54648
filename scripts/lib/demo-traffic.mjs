import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { SetupError } from "./log.mjs";

const answerLimitMs = 20_000;
const triesPerOrder = 5;
const tryAgainMs = 200;

/** @typedef {{ id: string, eventTypes: string[] }} PlacedOrder */

/**
 * A client that places orders over HTTP, each under an id of its own.
 */
export class Traffic {
  orders = 0;
  tasks = 0;
  /** Orders that were given up. */
  refused = 0;
  #options;
  #planned = 0;
  #plannedTasks = 0;

  /**
   * @param {{
   *   url: string,
   *   prefix: string,
   *   tasksMax: number | null,
   *   concurrency: number,
   *   perSecond: number,
   *   signal: AbortSignal,
   *   onPlaced?: (order: PlacedOrder) => void,
   *   onRefused: (error: Error) => void,
   * }} options `onRefused` may throw to end the traffic
   */
  constructor(options) {
    this.#options = options;
  }

  /** Sends orders until so many tasks are enqueued, or until the signal aborts. */
  async send() {
    const startedAt = performance.now();
    const { concurrency, signal, perSecond } = this.#options;
    // Each order that waits for its turn listens.
    setMaxListeners(concurrency + 10, signal);
    const one = async () => {
      for (let order = this.#next(); order && !signal.aborted; order = this.#next()) {
        const waitMs = startedAt + (order.number * 1000) / perSecond - performance.now();
        if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
        if (!signal.aborted) await this.#place(order);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, one));
  }

  /** Three tasks per order; the last order makes what is left to make the number exact. */
  #next() {
    const { prefix, tasksMax } = this.#options;
    const tasks = Math.min(3, tasksMax === null ? 3 : tasksMax - this.#plannedTasks);
    if (tasks <= 0) return null;
    const number = this.#planned++;
    this.#plannedTasks += tasks;
    const eventTypes = ["PAY_ORDER", "SEND_SMS", "SYNC_ERP"].slice(0, tasks);
    return { number, id: `${prefix}-${String(number + 1).padStart(6, "0")}`, eventTypes };
  }

  /** An order whose answer was lost is sent again; that it exists already is then the answer. */
  async #place({ number, id, eventTypes }) {
    const { onPlaced, onRefused, signal } = this.#options;
    const body = JSON.stringify({
      id,
      amountCents: 1_000 + (number % 90) * 100,
      ...(eventTypes.includes("SEND_SMS") ? { phone: `+4930${String(number).padStart(7, "0")}` } : {}),
      syncErp: eventTypes.includes("SYNC_ERP"),
    });
    let problem = "";
    for (let attempt = 1; attempt <= triesPerOrder && !signal.aborted; attempt += 1) {
      if (attempt > 1) await sleep(tryAgainMs * attempt);
      const answer = await this.#post(body);
      if (answer.status === 201 || (answer.status === 409 && attempt > 1)) {
        this.orders += 1;
        this.tasks += eventTypes.length;
        onPlaced?.({ id, eventTypes });
        return;
      }
      problem = answer.text;
      if (answer.status >= 400 && answer.status < 500) break;
    }
    if (signal.aborted) return;
    this.refused += 1;
    onRefused(new SetupError(`order ${id} was not accepted: ${problem}`));
  }

  async #post(body) {
    try {
      const response = await fetch(`${this.#options.url}/orders`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        signal: AbortSignal.timeout(answerLimitMs),
      });
      return { status: response.status, text: `${response.status} ${await response.text()}` };
    } catch (err) {
      return { status: 0, text: String(err.cause?.message ?? err.message) };
    }
  }
}
