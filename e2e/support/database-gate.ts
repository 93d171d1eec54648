import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** Stands between the console and the database, so that a test can take the database away without stopping the server. */
export class DatabaseGate {
  readonly #host: string;
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #ownPort = 0;

  constructor(host: string, port: number) {
    this.#host = host;
    this.#port = port;
  }

  get port(): number {
    return this.#ownPort;
  }

  async open(): Promise<void> {
    if (this.#server) return;
    const server = createServer((near) => {
      const far = connect(this.#port, this.#host);
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined);
        socket.on("close", () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
    });
    server.listen(this.#ownPort, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address !== null && typeof address !== "string") this.#ownPort = address.port;
    this.#server = server;
  }

  /** Ends every connection and refuses new ones. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
