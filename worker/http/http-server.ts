import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "../engine/index.ts";
import { HttpProblem, sendProblem } from "./problem.ts";

/** Answers one request; what it throws becomes the answer. */
export type Route = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** Routes by path, then by method. */
export type Routes = Readonly<Record<string, Readonly<Record<string, Route>>>>;

export interface HttpServer {
  /** The port it listens on; tells which one was free if 0 was asked for. */
  readonly port: number;
  /** Stops listening; resolves when the open answers are sent, after 2 s at the latest. */
  close(): Promise<void>;
}

/**
 * Serves the routes. GET routes also answer HEAD; unknown paths and methods, and every error, are answered as
 * problem+json with the request's id. @throws the error of `listen`, such as EADDRINUSE.
 */
export async function startHttpServer(options: {
  readonly host: string;
  readonly port: number;
  readonly routes: Routes;
  readonly log: Logger;
}): Promise<HttpServer> {
  const server = createServer((request, response) => void answer(request, response, options.routes, options.log));
  server.headersTimeout = 5_000;
  server.requestTimeout = 10_000;
  // Longer than the usual 60 s of load balancers, so that it is they who close idle connections.
  server.keepAliveTimeout = 65_000;
  server.timeout = 90_000;
  server.maxConnections = 1_000;
  await listen(server, options.host, options.port);
  server.on("error", (error) => options.log.warn({ err: error }, "http server error"));
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

async function answer(request: IncomingMessage, response: ServerResponse, routes: Routes, log: Logger): Promise<void> {
  const requestId = requestIdOf(request);
  response.setHeader("x-request-id", requestId);
  request.on("error", () => undefined);
  response.on("error", () => undefined);
  try {
    await routeOf(request, routes)(request, response);
  } catch (error) {
    const isKnown = error instanceof HttpProblem;
    if (!isKnown) log.error({ err: error, requestId, method: request.method, path: pathOf(request) }, "request failed");
    sendProblem(response, isKnown ? error : new HttpProblem(500, "something went wrong; see the log"), requestId);
  }
}

function routeOf(request: IncomingMessage, routes: Routes): Route {
  const path = pathOf(request);
  const methods = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!methods) throw new HttpProblem(404, `there is nothing here; known: ${Object.keys(routes).join(", ")}`);
  const method = request.method === "HEAD" ? "GET" : (request.method ?? "");
  const route = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (route) return route;
  const allow = Object.keys(methods).flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name]));
  throw new HttpProblem(405, `${path} takes ${allow.join(", ")}`, {
    headers: { allow: allow.join(", "), connection: "close" },
  });
}

const pathOf = (request: IncomingMessage): string => (request.url ?? "/").split("?")[0] ?? "/";

/** The caller's id if it is short and harmless in a log, else a new one. */
function requestIdOf(request: IncomingMessage): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), 2_000);
  await closed;
  clearTimeout(timer);
}
