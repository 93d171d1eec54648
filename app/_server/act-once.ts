import "server-only";
import { createHash, randomUUID } from "node:crypto";
import {
  claimIdempotencyKey,
  releaseIdempotencyKey,
  removeOldIdempotencyKeys,
  storeIdempotentAnswer,
} from "../../db/queries/idempotency.ts";
import { retryContention } from "../../db/client.ts";
import type { Session } from "../../db/session.ts";
import type { Asker } from "./asker.ts";
import { ConsoleError, PROBLEM_STATUS } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { readIdempotencyKey, sealKey } from "./idempotency-key.ts";
import { log } from "./log.ts";
import { problemBody, toConsoleError } from "./problem.ts";
import { readBytes } from "./read-input.ts";

const BODY_BYTES_MAX = 1024 * 1024;
const ANSWER_CHARACTERS_MAX = 1024 * 1024;
const CLEAN_EVERY_MS = 60_000;

/** Answers that would be the same again. Denials, limits and faults are tried anew. */
const KEPT_PROBLEMS: ReadonlySet<number> = new Set([400, 404, 409, 422]);

/**
 * Runs the work of a request that changes something. If it carries an `Idempotency-Key`, the key is claimed before the
 * work begins and the answer is kept for a day: a repeat with the same body gets that answer and nothing is done again.
 * @throws ConsoleError idempotency_mismatch for another body, idempotency_in_progress while the first one works.
 */
export async function actOnce(
  asker: Asker,
  request: Request,
  work: (request: Request) => Promise<unknown>,
): Promise<unknown> {
  const key = readIdempotencyKey(request.headers);
  if (key === undefined) return work(request);
  const sealed = sealKey(asker, request, key);
  const body = await readBytes(request, BODY_BYTES_MAX);
  const claim = {
    keyHash: sealed.keyHash,
    requestHash: createHash("sha256").update(body).digest("hex"),
    claim: randomUUID(),
  };
  const verdict = await retryContention(() => consoleDatabase().use((session) => claimIdempotencyKey(session, claim)));
  switch (verdict.outcome) {
    case "answered":
      return replay(verdict.status, sealed.open(verdict.body));
    case "mismatch":
      throw new ConsoleError("idempotency_mismatch", "this Idempotency-Key was used with another body");
    case "in_progress":
      throw new ConsoleError("idempotency_in_progress", "the first request with this Idempotency-Key is still at work");
    case "claimed":
  }
  const end = (write: (session: Session) => Promise<unknown>) => afterwards(asker.requestId, write);
  const keep = (status: number, answer: string) =>
    answer.length > ANSWER_CHARACTERS_MAX
      ? end((session) => releaseIdempotencyKey(session, claim))
      : end((session) => storeIdempotentAnswer(session, claim, { status, body: sealed.seal(answer) }));
  try {
    const answer = await work(withBody(request, body));
    const kept = await keptForm(answer);
    await (kept ? keep(kept.status, kept.text) : end((session) => releaseIdempotencyKey(session, claim)));
    return answer;
  } catch (error) {
    const problem = toConsoleError(error);
    const status = PROBLEM_STATUS[problem.code];
    if (KEPT_PROBLEMS.has(status)) await keep(status, JSON.stringify(problemBody(problem, asker.requestId)));
    else await end((session) => releaseIdempotencyKey(session, claim));
    throw error;
  } finally {
    cleanNowAndThen();
  }
}

function replay(status: number, text: string): Response {
  const type = status < 400 ? "application/json" : "application/problem+json";
  return new Response(text, { status, headers: { "Content-Type": type, "Idempotent-Replayed": "true" } });
}

/** The body has been read for its hash; the work gets it once more. */
function withBody(request: Request, body: Uint8Array<ArrayBuffer>): Request {
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, ...(body.byteLength === 0 ? {} : { body }) });
}

/** JSON can be kept; what sets a cookie or is no JSON cannot. */
async function keptForm(answer: unknown): Promise<{ status: number; text: string } | undefined> {
  if (!(answer instanceof Response)) return { status: 200, text: JSON.stringify(answer) };
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") ?? false;
  if (!isJson || !answer.ok || answer.headers.has("set-cookie")) return undefined;
  return { status: answer.status, text: await answer.clone().text() };
}

/** What was done stays done if this fails; the key is then free again after a minute. */
async function afterwards(requestId: string, write: (session: Session) => Promise<unknown>): Promise<void> {
  try {
    await retryContention(() => consoleDatabase().use(write));
  } catch (error) {
    log.warn({ requestId, err: error }, "the answer to a request with an idempotency key was not kept");
  }
}

let cleanedAtMs = Number.NEGATIVE_INFINITY;

/** Removes keys of more than a day ago, at most once a minute in a process and some thousand at once; nobody waits for it. */
function cleanNowAndThen(): void {
  if (performance.now() - cleanedAtMs < CLEAN_EVERY_MS) return;
  cleanedAtMs = performance.now();
  const clean = async () => {
    for (let batch = 0; batch < 10; batch++) {
      if ((await consoleDatabase().use(removeOldIdempotencyKeys)) === 0) return;
    }
  };
  clean().catch((error: unknown) => log.warn({ err: error }, "old idempotency keys were not removed"));
}
