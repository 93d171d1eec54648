import type { TaskStatus } from "../../db/schema/task-status.ts";
import type { ProblemCode } from "../_server/console-error.ts";
import { askForStepUp } from "./account/ask-for-step-up.ts";
import { goToSignIn } from "./account/go-to-sign-in.ts";
import { BASE_PATH } from "./base-path.ts";

const TIMEOUT_MS = 15_000;

/** A request that did not get its answer: the problem that the server named, or `network` if none came. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ProblemCode | "network";
  readonly requestId: string | undefined;
  readonly taskStatus: TaskStatus | undefined;
  /** All that the problem carries. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly archivedAt: string | undefined;

  constructor(problem: {
    readonly code: ProblemCode | "network";
    readonly requestId?: string | undefined;
    readonly taskStatus?: TaskStatus | undefined;
    readonly archivedAt?: string | undefined;
    readonly cause?: unknown;
    readonly details?: Readonly<Record<string, unknown>> | undefined;
  }) {
    super(problem.code, { cause: problem.cause });
    this.code = problem.code;
    this.requestId = problem.requestId;
    this.taskStatus = problem.taskStatus;
    this.details = problem.details ?? {};
    this.archivedAt = problem.archivedAt;
  }
}

let freshUntilMs = 0;

/** For a moment, answers that the server has kept for others are not good enough: the person has asked for fresh ones. */
export function askFreshly(): void {
  freshUntilMs = performance.now() + 1_000;
}

/** What a page asks while nobody sees it does not keep its session alive. @throws ApiError */
export function getJson<Answer>(path: string, signal: AbortSignal): Promise<Answer> {
  return call<Answer>(path, {
    headers: {
      ...(performance.now() < freshUntilMs ? { "X-Refresh": "now" } : {}),
      ...(document.hidden ? { "X-Unattended": "1" } : {}),
    },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
}

/**
 * One press is one key: the server acts once on it, however often it arrives. Who calls again because no answer came
 * gives the key of the first call.
 * @throws ApiError; `network` means that nobody knows whether the server acted.
 */
export function postJson<Answer>(path: string, body: unknown, key?: string): Promise<Answer> {
  return sendJson<Answer>("POST", path, body, key);
}

/**
 * `postJson` for the other ways to change something. If the server wants the person to prove once more to be the one, the
 * person is asked, and the same request is sent again. @throws ApiError
 */
export async function sendJson<Answer>(
  method: "POST" | "PATCH" | "DELETE",
  path: string,
  body: unknown = {},
  key: string = newIdempotencyKey(),
): Promise<Answer> {
  const send = () =>
    call<Answer>(path, {
      method,
      headers: { "Content-Type": "application/json", "Idempotency-Key": key },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  try {
    return await send();
  } catch (error) {
    const isAsked = error instanceof ApiError && error.code === "step_up_required";
    if (!isAsked || !(await askForStepUp(error.details))) throw error;
    return send();
  }
}

/** 128 bits of chance; `crypto.randomUUID` is missing where a page came over plain HTTP. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
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
  if (problem?.code === "not_signed_in") goToSignIn();
  throw new ApiError({ ...problem, code: problem?.code ?? "unexpected", details: { ...problem } });
}
