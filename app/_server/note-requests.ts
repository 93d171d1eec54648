import { randomUUID } from "node:crypto";
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";

/** Carries the number of a request to its handler; what a client sends under it is overwritten. */
export const REQUEST_HEADER = "x-redrive-request";

/**
 * From now on every answer of this process carries a number, the framework's own too: a method that a route does not
 * take, an address that leads nowhere. What the framework would answer with a server error is made something it can
 * read. The channel is told of a request before its server is.
 */
export function noteRequests(): void {
  subscribe("http.server.request.start", (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const requestId = randomUUID();
    request.headers[REQUEST_HEADER] = requestId;
    response.setHeader("X-Request-Id", requestId);
    request.url = readableUrl(request.url ?? "/");
    // No handler can be given one; the answer to OPTIONS tells what there is instead.
    if (request.method === "TRACE") request.method = "OPTIONS";
  });
}

/** The address with each % of its path taken literally, if they are no escapes of any text. */
export function readableUrl(url: string): string {
  const [path = "", ...query] = url.split("?");
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return [path.replaceAll("%", "%25"), ...query].join("?");
  }
}
