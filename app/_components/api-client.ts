import type { TaskStatus } from "../../db/schema/task-status.ts";
import type { ProblemCode } from "../_server/console-error.ts";
import { BASE_PATH } from "./base-path.ts";

const TIMEOUT_MS = 15_000;

/** A request that did not get its answer: the problem that the server named, or `network` if none came. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ProblemCode | "network";
  readonly requestId: string | undefined;
  readonly taskStatus: TaskStatus | undefined;
  readonly archivedAt: string | undefined;

  constructor(problem: {
    readonly code: ProblemCode | "network";
    readonly requestId?: string | undefined;
    readonly taskStatus?: TaskStatus | undefined;
    readonly archivedAt?: string | undefined;
    readonly cause?: unknown;
  }) {
    super(problem.code, { cause: problem.cause });
    this.code = problem.code;
    this.requestId = problem.requestId;
    this.taskStatus = problem.taskStatus;
    this.archivedAt = problem.archivedAt;
  }
}

/** @throws ApiError */
export function getJson<Answer>(path: string, signal: AbortSignal): Promise<Answer> {
  return call<Answer>(path, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
}

/** @throws ApiError; `network` means that nobody knows whether the server acted. */
export function postJson<Answer>(path: string, body: unknown): Promise<Answer> {
  return call<Answer>(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

async function call<Answer>(path: string, init: RequestInit): Promise<Answer> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(`${BASE_PATH}${path}`, { ...init, cache: "no-store" });
    body = await response.json();
  } catch (cause) {
    throw new ApiError({ code: "network", cause });
  }
  if (response.ok) return body as Answer;
  const problem = body as {
    code?: ProblemCode;
    requestId?: string;
    taskStatus?: TaskStatus;
    archivedAt?: string;
  } | null;
  throw new ApiError({ ...problem, code: problem?.code ?? "unexpected" });
}
