import { connect, createServer } from "node:net";

/**
 * Reads the first packet a MySQL or MariaDB server sends, which needs no account.
 *
 * @param {import("node:net").NetConnectOpts} target `{ host, port }` or `{ path }`
 * @param {number} [limitMs]
 * @returns {Promise<string | null>} the server's version, null if no such server accepts connections there
 */
export function readServerVersion(target, limitMs = 2000) {
  return new Promise((resolve) => {
    const socket = connect(target);
    let received = Buffer.alloc(0);
    const finish = (version) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(version);
    };
    const timer = setTimeout(finish, limitMs, null);
    socket.on("error", () => finish(null));
    socket.on("close", () => finish(null));
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      const version = parseHandshake(received);
      if (version !== undefined) finish(version);
    });
  });
}

/**
 * @param {Buffer} received
 * @returns {string | null | undefined} undefined while more bytes are needed, null if this is no server's greeting
 */
export function parseHandshake(received) {
  if (received.length < 5) return undefined;
  const protocolVersion = received[4];
  if (protocolVersion !== 10) return null;
  const end = received.indexOf(0, 5);
  if (end === -1) return received.length > 256 ? null : undefined;
  // MariaDB puts 5.5.5- before its version for the sake of old replicas.
  return received.toString("latin1", 5, end).replace(/^5\.5\.5-/, "");
}

/**
 * @param {number} [preferred] taken if it is free
 * @returns {Promise<number>} a port nobody listens on at 127.0.0.1
 */
export async function findFreePort(preferred = 0) {
  const port = await tryListen(preferred);
  return port ?? (await tryListen(0));
}

function tryListen(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.on("error", () => resolve(null));
    server.listen({ host: "127.0.0.1", port }, () => {
      const free = server.address().port;
      server.close(() => resolve(free));
    });
  });
}
