import type { Server } from "node:http";
import type { DrizzleTransaction, Engine, Logger } from "../../worker/engine/index.ts";
import { EagerStartTimes } from "./eager-start-times.ts";
import { HttpError, jsonServer, readJson, sendJson } from "./json-http.ts";
import { hasCode, orderSchema, placeOrder } from "./place-order.ts";

const DATABASE_IS_AWAY = ["ECONNREFUSED", "ECONNRESET", "PROTOCOL_CONNECTION_LOST", "ETIMEDOUT", "ER_CON_COUNT_ERROR"];

/** The order service over HTTP: POST /orders, GET /healthz, GET /stats. */
export function createOrderServer(engine: Engine<DrizzleTransaction>, log: Logger): Server {
  const times = new EagerStartTimes(engine);
  return jsonServer(
    async (request, response) => {
      const route = `${request.method ?? ""} ${request.url ?? ""}`;
      switch (route) {
        case "POST /orders": {
          const order = orderSchema.safeParse(await readJson(request));
          if (!order.success) throw new HttpError(400, order.error.issues.map(describeIssue).join("; "));
          return sendJson(response, 201, await placeOrder(engine, order.data, times));
        }
        case "GET /healthz": {
          const { state, isAlive } = engine.health();
          return sendJson(response, state === "running" && isAlive ? 200 : 503, { state, isAlive });
        }
        case "GET /stats":
          return sendJson(response, 200, times.summary());
        default:
          if (request.url === "/orders") throw new HttpError(405, "only POST is allowed here");
          throw new HttpError(404, `there is nothing at ${route}`);
      }
    },
    (error) => {
      log.error({ err: error }, "request failed");
      if (engine.health().state !== "running") return new HttpError(503, "the service is stopping");
      const isAway = DATABASE_IS_AWAY.some((code) => hasCode(error, code));
      return isAway ? new HttpError(503, "the database is away") : new HttpError(500, "something went wrong");
    },
  );
}

const describeIssue = (issue: { readonly path: readonly PropertyKey[]; readonly message: string }): string =>
  `${issue.path.map(String).join(".") || "body"}: ${issue.message}`;
