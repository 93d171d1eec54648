import { classifyDatabaseError, isOutage } from "../../db/mysql-errors.ts";
import { ConsoleError, PROBLEM_STATUS } from "./console-error.ts";
import { ConsoleEnvError } from "./env-schema.ts";

const SCHEMA_MISSING: ReadonlySet<number> = new Set([1054, 1146]);
const REFUSED: ReadonlySet<number> = new Set([1044, 1045, 1049, 1142, 1143, 1698]);
const TIMED_OUT: ReadonlySet<number | string> = new Set([1969, 3024, "PROTOCOL_SEQUENCE_TIMEOUT"]);

/** Turns whatever was thrown into a problem that may be shown; the cause keeps what only the log may hold. */
export function toConsoleError(error: unknown): ConsoleError {
  if (error instanceof ConsoleError) return error;
  if (error instanceof ConsoleEnvError) {
    return new ConsoleError("not_configured", "the console's settings cannot be used; its log names them", {
      cause: error,
    });
  }
  const { errno = 0, code = "" } = (error ?? {}) as { errno?: number; code?: string };
  if (TIMED_OUT.has(errno) || TIMED_OUT.has(code)) {
    return new ConsoleError("database_timeout", "the database took too long", { cause: error });
  }
  if (SCHEMA_MISSING.has(errno)) {
    return new ConsoleError("schema_missing", "the database lacks tables of this version; run `redrive migrate`", {
      cause: error,
    });
  }
  if (isOutage(error) || REFUSED.has(errno) || classifyDatabaseError(error) === "lock_wait") {
    return new ConsoleError("database_unavailable", "the database cannot be used at the moment", { cause: error });
  }
  return new ConsoleError("unexpected", "something went wrong", { cause: error });
}

/** The document that tells of a problem (RFC 9457). */
export function problemBody({ code, message, details }: ConsoleError, requestId: string): Record<string, unknown> {
  return { type: "about:blank", title: message, status: PROBLEM_STATUS[code], code, requestId, ...details };
}

/** The answer to a request that failed: problem+json with a code to branch on and the request id that the log holds too. */
export function problemResponse(error: ConsoleError, requestId: string): Response {
  const { retryAfterSeconds } = error.details;
  return Response.json(problemBody(error, requestId), {
    status: PROBLEM_STATUS[error.code],
    headers: {
      ...answerHeaders(requestId),
      "Content-Type": "application/problem+json",
      ...(typeof retryAfterSeconds === "number" ? { "Retry-After": String(retryAfterSeconds) } : {}),
    },
  });
}

/** Headers of every API answer: never cached, never a document. */
export function answerHeaders(requestId: string): Record<string, string> {
  return {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Request-Id": requestId,
    ...(isPublicOverTls() ? { "Strict-Transport-Security": "max-age=31536000" } : {}),
  };
}

function isPublicOverTls(): boolean {
  return process.env["REDRIVE_CONSOLE_ORIGIN"]?.startsWith("https:") ?? false;
}
