import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { HttpProblem } from "./problem.ts";

const CHALLENGE = { "www-authenticate": 'Bearer realm="redrive"', connection: "close" };

/**
 * Lets a request pass only with this bearer token; the comparison takes the same time whatever is wrong with it.
 * @throws HttpProblem 403 if no token is configured (the route is off), 401 if the request's is missing or wrong.
 */
export function requireBearerToken(request: IncomingMessage, token: string | undefined): void {
  if (token === undefined) {
    throw new HttpProblem(403, "wake is off; set REDRIVE_WAKE_TOKEN on this worker to switch it on", {
      headers: { connection: "close" },
    });
  }
  const given = /^Bearer +([^\s]+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  if (given === undefined) {
    throw new HttpProblem(401, 'send the header "authorization: Bearer <token>"', { headers: CHALLENGE });
  }
  // Digests have one length, which timingSafeEqual asks for, whatever the length of the given token.
  if (!timingSafeEqual(digest(given), digest(token))) {
    throw new HttpProblem(401, "the token is not the one of this worker", { headers: CHALLENGE });
  }
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
