import "server-only";
import { randomUUID } from "node:crypto";
import { actOnce } from "./act-once.ts";
import type { Asker } from "./asker.ts";
import { auditDenied } from "./audit-denied.ts";
import { ConsoleError, PROBLEM_STATUS } from "./console-error.ts";
import { consoleEnv } from "./env.ts";
import { taggedJson } from "./etag.ts";
import { identify, isChange } from "./identify.ts";
import { log } from "./log.ts";
import { REQUEST_HEADER } from "./note-requests.ts";
import type { Permission } from "./permissions.ts";
import { answerHeaders, problemResponse, toConsoleError } from "./problem.ts";
import { sharedReads } from "./shared-reads.ts";
import { mustBeConfirmed } from "./step-up.ts";

interface RouteInput<Params> {
  readonly request: Request;
  readonly asker: Asker;
  readonly params: Params;
}

type Handler<Params> = (request: Request, context: { params: Promise<Params> }) => Promise<Response>;

/**
 * The frame of every API route: finds out who asks, checks that this role has the permission, runs the work, answers its
 * result as JSON (a `Response` is passed on with the headers of every answer), and turns what it throws into
 * problem+json. Problems of ours are logged whole; those of the asker are not. The work itself checks event types. While
 * the console is read-only every change is refused, but for `evenReadOnly`: what a person does to be in or out. A change
 * that is `confirmed` asks a person to prove once more to be the one.
 * A request that changes something acts once per `Idempotency-Key`, and is written to the audit log if it is denied.
 */
export function apiRoute<Params = unknown>(
  permission: Permission,
  work: (input: RouteInput<Params>) => Promise<unknown>,
  options: { readonly evenReadOnly?: boolean; readonly confirmed?: boolean } = {},
): Handler<Params> {
  return openRoute<Params>(async ({ request, params, requestId }) => {
    const asker = await identify(request, requestId);
    if (!isChange(request)) {
      asker.mustMay(permission);
      if (request.headers.get("x-refresh") === "now") sharedReads().forgetArrived();
      return work({ request, asker, params });
    }
    try {
      asker.mustMay(permission);
      if (consoleEnv().isReadOnly && !options.evenReadOnly) {
        throw new ConsoleError("read_only", "the console is read-only");
      }
      if (options.confirmed) mustBeConfirmed(asker);
      const answer = await actOnce(asker, request, (once) => work({ request: once, asker, params }));
      sharedReads().forgetAll();
      return answer;
    } catch (error) {
      await auditDenied(asker, request, error);
      throw error;
    }
  });
}

/** The frame of a route that anybody may ask; the rest is as in `apiRoute`. */
export function openRoute<Params = unknown>(
  work: (input: Omit<RouteInput<Params>, "asker"> & { readonly requestId: string }) => Promise<unknown>,
): Handler<Params> {
  return async (request, context) => {
    const requestId = request.headers.get(REQUEST_HEADER) ?? randomUUID();
    try {
      return toResponse(request, await work({ request, params: await context.params, requestId }), requestId);
    } catch (error) {
      const problem = toConsoleError(error);
      if (PROBLEM_STATUS[problem.code] >= 500) {
        const { pathname } = new URL(request.url);
        log.error({ requestId, method: request.method, pathname, code: problem.code, err: problem.cause ?? problem });
      }
      return problemResponse(problem, requestId);
    }
  };
}

function toResponse(request: Request, answer: unknown, requestId: string): Response {
  if (!(answer instanceof Response)) {
    return !isChange(request)
      ? taggedJson(request, answer, answerHeaders(requestId))
      : Response.json(answer, { headers: answerHeaders(requestId) });
  }
  for (const [name, value] of Object.entries(answerHeaders(requestId))) {
    if (!answer.headers.has(name)) answer.headers.set(name, value);
  }
  return endedWithReader(request, answer);
}

/**
 * Ends what is read for an answer once nobody takes it: after HEAD, or when the asker has left before it was sent. The
 * framework forgets such an answer without a word to it.
 */
function endedWithReader(request: Request, answer: Response): Response {
  // Refused while the answer is being sent; whoever sends it ends it then.
  const end = () => void answer.body?.cancel().catch(() => undefined);
  if (request.method === "HEAD" || request.signal.aborted) {
    const { status, headers } = answer;
    end();
    return new Response(null, { status, headers });
  }
  request.signal.addEventListener("abort", end, { once: true });
  return answer;
}
