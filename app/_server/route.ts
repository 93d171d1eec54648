import "server-only";
import { randomUUID } from "node:crypto";
import { checkMayAct, checkMayRead } from "./access.ts";
import { PROBLEM_STATUS } from "./console-error.ts";
import { consoleEnv } from "./env.ts";
import { log } from "./log.ts";
import { answerHeaders, problemResponse, toConsoleError } from "./problem.ts";

interface RouteInput<Params> {
  readonly request: Request;
  readonly params: Params;
}

type Handler<Params> = (request: Request, context: { params: Promise<Params> }) => Promise<Response>;

/**
 * The frame of every API route: checks whether the asker may read or act, runs the work, answers its result as JSON, and
 * turns what it throws into problem+json. Problems of ours are logged whole; those of the asker are not.
 */
export function apiRoute<Params = unknown>(
  access: "read" | "act",
  work: (input: RouteInput<Params>) => Promise<unknown>,
): Handler<Params> {
  return async (request, context) => {
    const requestId = randomUUID();
    try {
      const check = access === "act" ? checkMayAct : checkMayRead;
      check(request.headers, consoleEnv());
      const answer = await work({ request, params: await context.params });
      return Response.json(answer, { headers: answerHeaders(requestId) });
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
