import { randomBytes } from "node:crypto";
import { inRoot } from "./paths.mjs";

const runScript = inRoot("scripts", "run.mjs");
const consoleScript = inRoot("scripts", "console.mjs");

/** Knows how each process of the demo is started; each method waits until its process is ready. */
export class DemoFleet {
  downstreamUrl = "";
  #processes;
  #signal;
  #env;

  /**
   * @param {import("./demo-processes.mjs").DemoProcesses} processes
   * @param {{ databaseUrl: string, env: Record<string, string>, signal: AbortSignal }} options `env` is for every process
   */
  constructor(processes, { databaseUrl, env, signal }) {
    this.#processes = processes;
    this.#signal = signal;
    this.#env = {
      ...env,
      DATABASE_URL: databaseUrl,
      LOG_LEVEL: process.env.LOG_LEVEL || "warn",
      REDRIVE_WAKE_TOKEN: process.env.REDRIVE_WAKE_TOKEN || randomBytes(16).toString("hex"),
    };
  }

  /**
   * @param {number} port
   * @param {string} ledgerPath
   */
  async downstream(port, ledgerPath) {
    this.downstreamUrl = `http://127.0.0.1:${port}`;
    this.#env.DOWNSTREAM_URL = this.downstreamUrl;
    const env = { DOWNSTREAM_PORT: String(port), DOWNSTREAM_LEDGER: ledgerPath };
    return this.#start("downstream", [runScript, "examples/orders/downstream"], env, `${this.downstreamUrl}/healthz`);
  }

  /** @param {number} port the service runs what it has just created, and leaves the rest to the workers */
  async service(port) {
    const env = { ORDER_SERVICE_PORT: String(port), ORDER_SERVICE_POLLS: "false" };
    const url = `http://127.0.0.1:${port}/healthz`;
    return this.#start("order-service", [runScript, "examples/orders/service"], env, url);
  }

  /**
   * @param {string} name
   * @param {number} port
   */
  async worker(name, port) {
    const env = { WORKER_PORT: String(port), REDRIVE_HANDLERS: "./dist/examples/orders/handlers.js" };
    return this.#start(name, [runScript, "worker/main"], env, `http://127.0.0.1:${port}/readyz`);
  }

  /** @param {number} port */
  async console(port) {
    return this.#start("console", [consoleScript], { PORT: String(port) }, `http://127.0.0.1:${port}/api/health`);
  }

  async #start(name, args, env, readyUrl) {
    const started = this.#processes.start(name, args, { ...this.#env, ...env });
    await this.#processes.ready(started, readyUrl, this.#signal);
    return started;
  }
}
