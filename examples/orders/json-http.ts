import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const BODY_BYTES_MAX = 65_536;

/** An answer other than success; what the caller reads is `message`. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/**
 * Reads a JSON body.
 * @throws HttpError 413 if it is larger than 64 KiB, 400 if it is not JSON.
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new HttpError(413, `the body is larger than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
  } catch (cause) {
    throw new HttpError(400, "the body is not JSON", { cause });
  }
}

/** Does nothing if the caller has gone. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  // A body that was not read to its end would be taken for the next request of a kept connection.
  if (!response.req.complete) response.setHeader("connection", "close");
  response.writeHead(status, { ...headers, "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Listens on this machine's loopback address and answers the port. 0 takes a free one. */
export async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Lets requests in progress end; idle connections are closed at once. */
export async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A server whose handler may throw: an HttpError becomes its answer, `onError` says what anything else becomes. */
export function jsonServer(handler: RequestHandler, onError: (error: unknown) => HttpError): Server {
  return createServer((request, response) => {
    handler(request, response).catch((error: unknown) => {
      const { status, message } = error instanceof HttpError ? error : onError(error);
      sendJson(response, status, { error: message });
    });
  });
}
