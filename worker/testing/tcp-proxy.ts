import { connect, createServer, type Server, type Socket } from "node:net";

/** When a connection is cut: at a statement the client sends, before the server sees it or after it has answered. */
export interface Cut {
  /** The statement that triggers the cut, as the client sends it: `/^COMMIT/`. */
  readonly statement: RegExp;
  /** Only on a connection that sent a matching statement since its last START TRANSACTION. */
  readonly after?: RegExp;
  /**
   * `before`: the server never sees the statement. `answered`: it runs, its answer does not come back. `held`: it runs, its
   * answer comes with `releaseHeld`.
   */
  readonly when: "before" | "answered" | "held";
  /** Instead of resetting the connection, leave it silent for ever: the server keeps what it has locked. */
  readonly silently?: boolean;
}

interface PendingCut extends Cut {
  readonly done: () => void;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** Statements since the last START TRANSACTION, latest last. */
  statements: string[];
  /** Set once a cut waits for the server's answer. */
  cutOnAnswer: PendingCut | undefined;
  isSilent: boolean;
  isHeld: boolean;
}

const COM_QUERY = 0x03;
const STATEMENTS_KEPT = 50;

/**
 * A TCP proxy in front of a database: passes, refuses, resets, swallows (black hole) or delays, and cuts a connection at a
 * chosen statement. What it carries is not changed.
 */
export class TcpProxy {
  readonly port: number;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #pairs = new Set<Pair>();
  /** Clients that were accepted during a black hole and have no server behind them. */
  readonly #stranded = new Set<Socket>();
  readonly #sockets = new Set<Socket>();
  #server: Server;
  #isBlackHole = false;
  #delayMs = 0;
  #cuts: PendingCut[] = [];

  private constructor(server: Server, port: number, target: { readonly host: string; readonly port: number }) {
    this.#server = server;
    this.port = port;
    this.#target = target;
    server.on("connection", (client) => this.#accept(client));
  }

  static async start(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
    const server = createServer();
    const port = await listen(server, 0);
    return new TcpProxy(server, port, target);
  }

  /** The same database address with this proxy in between. */
  url(databaseUrl: string): string {
    const address = new URL(databaseUrl);
    address.hostname = "127.0.0.1";
    address.port = String(this.port);
    return address.toString();
  }

  /** Connections that are being carried. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** Resets every connection; new ones are taken as before. */
  dropConnections(): void {
    for (const pair of this.#pairs) reset(pair);
  }

  /** Nobody listens any more: new connections are refused, existing ones are reset. */
  async refuse(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.dropConnections();
    for (const socket of this.#stranded) socket.resetAndDestroy();
    await closed;
  }

  /** Packets vanish in both directions without a reset; new connections are accepted and hear nothing. */
  blackHole(): void {
    this.#isBlackHole = true;
    for (const { client, server } of this.#pairs) {
      client.pause();
      server.pause();
    }
  }

  /**
   * Carries everything again. What was sent into a black hole arrives late, as TCP delivers it; with `forgetOld` it never
   * does, and the server goes on holding the sessions of the vanished clients.
   */
  async pass(options: { readonly forgetOld?: boolean } = {}): Promise<void> {
    const wasBlackHole = this.#isBlackHole;
    this.#isBlackHole = false;
    this.#delayMs = 0;
    if (wasBlackHole) {
      for (const socket of this.#stranded) socket.resetAndDestroy();
      for (const pair of this.#pairs) {
        // A connection that was silent before carries nothing still, but its end must be noticed.
        if (options.forgetOld && !pair.isSilent) {
          pair.isSilent = true;
          pair.client.resetAndDestroy();
        } else {
          pair.client.resume();
          if (!pair.isHeld) pair.server.resume();
        }
      }
    }
    if (this.#server.listening) return;
    this.#server = createServer((client) => this.#accept(client));
    await listen(this.#server, this.port);
  }

  /** Every packet takes so much longer, in each direction. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Cuts the next connection that sends the statement, once; resolves when it has happened. */
  cutOnce(cut: Cut): Promise<void> {
    return new Promise((resolve) => this.#cuts.push({ ...cut, done: resolve }));
  }

  /** Delivers the answers that were held. */
  releaseHeld(): void {
    for (const pair of this.#pairs) {
      if (!pair.isHeld) continue;
      pair.isHeld = false;
      pair.server.resume();
    }
  }

  /** Forgets cuts that have not happened. */
  clearCuts(): void {
    this.#cuts = [];
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(client: Socket): void {
    this.#track(client);
    if (this.#isBlackHole) {
      client.pause();
      this.#stranded.add(client);
      client.on("close", () => this.#stranded.delete(client));
      return;
    }
    const server = connect({ ...this.#target, noDelay: true, allowHalfOpen: false });
    client.setNoDelay(true);
    this.#track(server);
    const pair: Pair = { client, server, statements: [], cutOnAnswer: undefined, isSilent: false, isHeld: false };
    this.#pairs.add(pair);
    client.on("data", (data) => this.#fromClient(pair, data));
    server.on("data", (data) => this.#fromServer(pair, data));
    client.on("close", () => {
      if (pair.isSilent) return;
      this.#pairs.delete(pair);
      server.destroy();
    });
    server.on("close", () => {
      this.#pairs.delete(pair);
      client.destroy();
    });
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
  }

  #fromClient(pair: Pair, data: Buffer): void {
    if (pair.isSilent || pair.cutOnAnswer) return;
    const statement = statementOf(data);
    if (statement !== undefined) {
      if (/^START TRANSACTION/i.test(statement)) pair.statements = [];
      const cut = this.#takeCut(pair, statement);
      pair.statements = [...pair.statements, statement].slice(-STATEMENTS_KEPT);
      if (cut?.when === "before") {
        this.#cut(pair, cut);
        return;
      }
      if (cut?.when === "held") {
        pair.isHeld = true;
        pair.server.pause();
        cut.done();
      } else pair.cutOnAnswer = cut;
    }
    this.#send(pair.server, data);
  }

  #fromServer(pair: Pair, data: Buffer): void {
    if (pair.isSilent) return;
    if (pair.cutOnAnswer) this.#cut(pair, pair.cutOnAnswer);
    else this.#send(pair.client, data);
  }

  #takeCut(pair: Pair, statement: string): PendingCut | undefined {
    const index = this.#cuts.findIndex(
      (cut) =>
        cut.statement.test(statement) && (!cut.after || pair.statements.some((before) => cut.after?.test(before))),
    );
    return index < 0 ? undefined : this.#cuts.splice(index, 1)[0];
  }

  #cut(pair: Pair, cut: PendingCut): void {
    if (cut.silently) pair.isSilent = true;
    else reset(pair);
    cut.done();
  }

  #send(to: Socket, data: Buffer): void {
    if (this.#delayMs === 0) to.write(data);
    else setTimeout(() => to.write(data), this.#delayMs).unref();
  }
}

function reset({ client, server }: Pair): void {
  client.resetAndDestroy();
  server.resetAndDestroy();
}

/**
 * The text of a query packet: three bytes of length, a sequence number, the command, for MySQL 8 and later an empty list of
 * attributes, the statement.
 */
function statementOf(data: Buffer): string | undefined {
  if (data.length <= 5 || data[3] !== 0 || data[4] !== COM_QUERY) return undefined;
  const hasAttributes = data[5] === 0 && data[6] === 1;
  return data.toString("utf8", hasAttributes ? 7 : 5);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("the proxy has no port"));
      else resolve(address.port);
    });
  });
}
