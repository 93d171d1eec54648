import type { ServerResponse } from "node:http";

/** An answer that is not a success: its status, what is wrong, and headers that belong to it. */
export class HttpProblem extends Error {
  override readonly name = "HttpProblem";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** One line per thing that is wrong with the body. */
  readonly errors: readonly string[] | undefined;

  constructor(
    status: number,
    detail: string,
    options: { readonly headers?: Readonly<Record<string, string>>; readonly errors?: readonly string[] } = {},
  ) {
    super(detail);
    this.status = status;
    this.headers = options.headers ?? {};
    this.errors = options.errors;
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** Answers with `application/problem+json`; the request id in it is also in the log. */
export function sendProblem(response: ServerResponse, problem: HttpProblem, requestId: string): void {
  const body = JSON.stringify({
    type: "about:blank",
    title: TITLES[problem.status] ?? "Error",
    status: problem.status,
    detail: problem.message,
    requestId,
    ...(problem.errors === undefined ? {} : { errors: problem.errors }),
  });
  send(response, problem.status, "application/problem+json", body, problem.headers);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, "application/json", JSON.stringify(body), {});
}

/** Answers once; a HEAD request gets the same headers and no body. */
export function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  response.end(body);
}
