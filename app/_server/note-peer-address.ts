import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { PEER_HEADER } from "./client-address.ts";

/**
 * From now on every request of this process carries the address of its socket in a header of ours. A handler sees no
 * socket, and X-Forwarded-For holds whatever a client likes to write. The channel is told of a request before its
 * server is.
 */
export function notePeerAddress(): void {
  subscribe("http.server.request.start", (message) => {
    const { request } = message as { request: IncomingMessage };
    request.headers[PEER_HEADER] = request.socket.remoteAddress ?? "";
  });
}
