import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lastLines } from "./command.mjs";
import { SetupError } from "./log.mjs";
import { inRoot, root, stateDir } from "./paths.mjs";

const readyLimitMs = 60_000;
const stopLimitMs = 20_000;

/** @typedef {{ name: string, pid: number, logPath: string, isExpectedToEnd: boolean, hasEnded: boolean, ended: Promise<string> }} DemoProcess */

/**
 * The processes of one demo. Each is the head of its own process group: Ctrl-C in the terminal reaches only the demo,
 * which then ends them in order; and what they have started themselves ends with them.
 */
export class DemoProcesses {
  /** Aborts with a SetupError as its reason when a process ends that should not. */
  failure = new AbortController();
  #processes = /** @type {DemoProcess[]} */ ([]);
  #directory = join(stateDir, "demo");
  #guard;

  constructor() {
    mkdirSync(this.#directory, { recursive: true });
    const guard = inRoot("scripts", "lib", "demo-guard.mjs");
    this.#guard = spawn(process.execPath, [guard], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
    this.#guard.stdin.on("error", () => {});
    this.#guard.on("error", () => {});
    this.#guard.unref();
  }

  /**
   * Starts a Node script in the root directory; what it prints goes to a log file.
   *
   * @param {string} name also of the log file
   * @param {string[]} args the script and its arguments
   * @param {Record<string, string>} env beside this process's own
   * @returns {DemoProcess}
   */
  start(name, args, env) {
    const logPath = join(this.#directory, `${name}.log`);
    const output = openSync(logPath, "w");
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ["ignore", output, output],
    });
    closeSync(output);
    if (child.pid === undefined) throw new SetupError(`${name} could not be started.`);
    const started = { name, pid: child.pid, logPath, isExpectedToEnd: false, hasEnded: false };
    started.ended = new Promise((resolve) => {
      child.on("close", (code, signal) => {
        started.hasEnded = true;
        this.#tellGuard(`-${started.pid}`);
        const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
        if (!started.isExpectedToEnd) this.failure.abort(new SetupError(`${name} ${how}.\n${logEnd(logPath)}`));
        resolve(how);
      });
    });
    this.#tellGuard(`+${started.pid}`);
    this.#processes.push(started);
    return started;
  }

  /**
   * Waits until a started process answers 200.
   *
   * @param {DemoProcess} started
   * @param {string} url
   * @param {AbortSignal} signal
   */
  async ready(started, url, signal) {
    const deadline = performance.now() + readyLimitMs;
    while (performance.now() < deadline) {
      signal.throwIfAborted();
      if (await answersOk(url)) return;
      await sleep(50);
    }
    throw new SetupError(
      `${started.name} was not ready within ${readyLimitMs / 1000} s (${url}).\n${logEnd(started.logPath)}`,
    );
  }

  /** @param {DemoProcess} target ended at once, as a crash ends it */
  async crash(target) {
    target.isExpectedToEnd = true;
    signalGroup(target, "SIGKILL");
    await target.ended;
  }

  /**
   * Ends all in order, the one started last first; what does not end in time is killed.
   *
   * @returns {Promise<string[]>} names of those that had to be killed
   */
  async stop() {
    const killed = [];
    for (const target of [...this.#processes].reverse()) {
      target.isExpectedToEnd = true;
      if (target.hasEnded) continue;
      signalGroup(target, "SIGCONT");
      process.kill(target.pid, "SIGTERM");
      const timer = sleep(stopLimitMs, "late", { ref: false });
      if ((await Promise.race([target.ended, timer])) !== "late") continue;
      killed.push(target.name);
      signalGroup(target, "SIGKILL");
      await target.ended;
    }
    this.#guard.stdin.end();
    return killed;
  }

  /** Kills all that still run, without waiting: for an exit that cannot wait. */
  kill() {
    for (const target of this.#processes) {
      target.isExpectedToEnd = true;
      if (!target.hasEnded) signalGroup(target, "SIGKILL");
    }
  }

  #tellGuard(line) {
    if (this.#guard.stdin.writable) this.#guard.stdin.write(`${line}\n`);
  }
}

async function answersOk(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

function signalGroup({ pid }, signal) {
  try {
    process.kill(-pid, signal);
  } catch (err) {
    if (err.code !== "ESRCH") throw err;
  }
}

const logEnd = (path) => `  The end of ${path}:\n${lastLines(readFileSync(path, "utf8"))}`;
