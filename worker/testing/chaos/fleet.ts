import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { nodeScript } from "../../../db/testing/node-script.ts";
import { TcpProxy } from "../tcp-proxy.ts";
import type { ChaosChildConfig, ChaosCommand } from "./setting.ts";

const MAIN = nodeScript(new URL("./chaos-child.ts", import.meta.url));
/** A supervisor starts a process again after so long. */
const RESTART_MS = 300;

/** What mysql2 says when a server ends an idle session with an error of its own (4031). */
const DRIVER_WARNING = /^Warning: got packets out of order/;

/** How the life of one process run ended. */
export interface Death {
  readonly owner: string;
  /** By the machine's wall clock. */
  readonly at: number;
  readonly how: "killed" | "deployed";
}

/** One place of the fleet: a process, started again whenever it ends, and the proxy it speaks to the database through. */
export class Member {
  readonly proxy: TcpProxy;
  readonly deaths: Death[] = [];
  /** Ends that no fault explains, and everything that was written to standard error. */
  readonly complaints: string[] = [];
  /** Owners of this place that stood still or were cut off while they lived. */
  readonly troubled = new Set<string>();
  owner = "";
  memoryBytes = 0;
  readonly #config: Omit<ChaosChildConfig, "url">;
  readonly #url: string;
  #process: ChildProcess | undefined;
  #dying: Death["how"] | undefined;
  #isOver = false;
  #ended: Promise<void> = Promise.resolve();

  private constructor(proxy: TcpProxy, url: string, config: Omit<ChaosChildConfig, "url">) {
    this.proxy = proxy;
    this.#url = proxy.url(url);
    this.#config = config;
  }

  static async start(url: string, config: Omit<ChaosChildConfig, "url">): Promise<Member> {
    const { hostname, port } = new URL(url);
    const member = new Member(await TcpProxy.start({ host: hostname, port: Number(port) }), url, config);
    member.#start();
    return member;
  }

  get name(): string {
    return this.#config.name;
  }

  get isReady(): boolean {
    return this.owner !== "";
  }

  tell(command: ChaosCommand): void {
    this.#process?.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  /** What happens to this process now explains that it may lose its claims. */
  trouble(): void {
    if (this.owner !== "") this.troubled.add(this.owner);
  }

  kill(): void {
    this.#dying = "killed";
    this.#process?.kill("SIGKILL");
  }

  deploy(): void {
    this.#dying ??= "deployed";
    this.#process?.kill("SIGTERM");
  }

  standStill(): void {
    this.trouble();
    this.#process?.kill("SIGSTOP");
  }

  goOn(): void {
    this.#process?.kill("SIGCONT");
  }

  /** Ends the process for good. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.goOn();
    this.kill();
    await this.#ended;
    await this.proxy.close();
  }

  #start(): void {
    const config: ChaosChildConfig = { ...this.#config, url: this.#url };
    const child = spawn(process.execPath, [...MAIN, JSON.stringify(config)], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#process = child;
    this.#dying = undefined;
    child.stdin.on("error", () => undefined);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (!DRIVER_WARNING.test(text)) this.complaints.push(`${this.name}: ${text}`);
    });
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [word, value = ""] = line.split(" ");
      if (word === "ready") this.owner = value;
      else if (word === "memory") this.memoryBytes = Number(value);
    });
    this.#ended = new Promise((resolve) => {
      child.once("close", (code, signal) => {
        this.#bury(code, signal);
        resolve();
      });
    });
  }

  #bury(code: number | null, signal: NodeJS.Signals | null): void {
    const how = this.#dying;
    if (how === undefined) this.complaints.push(`${this.name} ended by itself with ${signal ?? String(code)}`);
    else if (this.owner !== "") this.deaths.push({ owner: this.owner, at: Date.now(), how });
    this.owner = "";
    if (!this.#isOver) setTimeout(() => this.#isOver || this.#start(), RESTART_MS);
  }
}
