import type { Engine } from "../engine/index.ts";
import type { MetricsRegistry } from "../metrics/engine-metrics.ts";
import type { DatabaseProbe } from "./database-probe.ts";
import type { Routes } from "./http-server.ts";
import { send, sendJson } from "./problem.ts";
import { judgeReadiness } from "./readiness.ts";
import { wake } from "./wake.ts";

/** What a worker answers: /healthz (the process lives), /readyz (it does its work), /metrics, /v1/wake. */
export function workerRoutes(parts: {
  readonly engine: Pick<Engine, "wake" | "health" | "owner">;
  readonly probe: Pick<DatabaseProbe, "look">;
  readonly metrics: Pick<MetricsRegistry, "metrics" | "contentType">;
  readonly wakeToken: string | undefined;
}): Routes {
  const { engine, probe, metrics, wakeToken } = parts;
  return {
    "/healthz": {
      GET: (_, response) => sendJson(response, 200, { status: "ok", owner: engine.owner }),
    },
    "/readyz": {
      GET: async (_, response) => {
        const readiness = judgeReadiness(engine.health(), await probe.look());
        sendJson(response, readiness.status === "ready" ? 200 : 503, readiness);
      },
    },
    "/metrics": {
      GET: async (_, response) => send(response, 200, metrics.contentType, await metrics.metrics(), {}),
    },
    "/v1/wake": {
      POST: async (request, response) => sendJson(response, 200, await wake(request, engine, wakeToken)),
    },
  };
}
