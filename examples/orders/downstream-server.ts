import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { answerTo, type System, SYSTEMS } from "./downstream-behaviour.ts";
import type { Rates } from "./env.ts";
import { HttpError, jsonServer, readJson, sendJson } from "./json-http.ts";
import type { Ledger } from "./ledger.ts";

const bodySchema = z.object({ orderId: z.string().min(1).max(64) });

export interface DownstreamOptions {
  readonly ledger: Ledger;
  readonly rates: Rates;
  readonly slowMs: number;
}

/**
 * Payment, SMS and ERP behind one HTTP server, which fails as `answerTo` says. A key that has had its effect gets the
 * same answer again without a second effect. The effect happens when the call arrives, whether or not its caller lives
 * to read the answer: that is what makes a repeated call dangerous in the real world.
 */
export function createDownstream(options: DownstreamOptions): Server {
  const { ledger } = options;
  return jsonServer(
    async (request, response) => {
      if (request.method === "GET" && request.url === "/healthz") return sendJson(response, 200, { ok: true });
      if (request.method === "GET" && request.url === "/ledger/summary") {
        return sendJson(response, 200, ledger.summary);
      }
      const system = SYSTEMS.find((name) => request.url === `/${name}`);
      if (!system) throw new HttpError(404, `there is nothing at ${request.url ?? "/"}`);
      if (request.method !== "POST") throw new HttpError(405, "only POST is allowed here");
      await answerCall(request, response, system, options);
    },
    () => new HttpError(500, "something went wrong"),
  );
}

async function answerCall(
  request: IncomingMessage,
  response: ServerResponse,
  system: System,
  { ledger, rates, slowMs }: DownstreamOptions,
): Promise<void> {
  const body = bodySchema.safeParse(await readJson(request));
  const idempotencyKey = textHeader(request, "idempotency-key");
  if (!body.success || idempotencyKey === "") throw new HttpError(400, "orderId or Idempotency-Key is missing");
  const { orderId } = body.data;
  const attempt = numberHeader(request, "x-attempt") || 1;
  const answer = answerTo({ system, orderId, attempt }, { rates, slowMs });
  const effect = ledger.record({
    system,
    orderId,
    idempotencyKey,
    taskId: textHeader(request, "x-task-id"),
    attempt,
    claimNo: numberHeader(request, "x-claim-number"),
    pid: numberHeader(request, "x-process-id"),
    behaviour: answer.behaviour,
    status: answer.status ?? null,
  });
  if (answer.status === undefined) return;
  await sleep(answer.afterMs, undefined, { ref: false });
  const retryAfter = answer.retryAfterSeconds;
  const headers = retryAfter === undefined ? undefined : { "retry-after": String(retryAfter) };
  sendJson(response, answer.status, { system, orderId, behaviour: answer.behaviour, effect }, headers);
}

const textHeader = (request: IncomingMessage, name: string): string => String(request.headers[name] ?? "");

const numberHeader = (request: IncomingMessage, name: string): number => Number(request.headers[name] ?? 0) || 0;
