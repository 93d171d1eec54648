import type { EngineHealth } from "../engine/index.ts";
import type { DatabaseProbeResult } from "./database-probe.ts";

export interface ReadinessCheck {
  readonly ok: boolean;
  readonly detail: string;
}

export const READINESS_CHECKS = ["database", "migrations", "engine", "liveness", "writable"] as const;

export interface Readiness {
  readonly status: "ready" | "not_ready";
  readonly checks: Readonly<Record<(typeof READINESS_CHECKS)[number], ReadinessCheck>>;
}

/** Whether this worker does its work at this moment, and of each condition why or why not. */
export function judgeReadiness(health: EngineHealth, probe: DatabaseProbeResult): Readiness {
  const checks = {
    database: { ok: probe.isReachable, detail: probe.isReachable ? "reachable" : `not reachable (${probe.error})` },
    migrations: judgeMigrations(probe),
    engine: { ok: health.state === "running", detail: health.state === "new" ? "not started yet" : health.state },
    liveness: {
      ok: health.isAlive,
      detail:
        health.sinceBeatMs === undefined ? "never confirmed" : `confirmed ${Math.round(health.sinceBeatMs)} ms ago`,
    },
    writable: { ok: !health.isReadOnly, detail: health.isReadOnly ? "the database is read-only" : "yes" },
  };
  const isReady = Object.values(checks).every((check) => check.ok);
  return { status: isReady ? "ready" : "not_ready", checks };
}

function judgeMigrations(probe: DatabaseProbeResult): ReadinessCheck {
  if (!probe.isReachable) return { ok: false, detail: "unknown" };
  const { applied, expected, upToDate, newer } = probe.migrations;
  if (upToDate) return { ok: true, detail: `version ${applied}` };
  // A deploy migrates first: the workers of the version before go on until they are replaced.
  if (newer && applied >= expected)
    return { ok: true, detail: `version ${applied}, newer than this program's ${expected}` };
  const found = applied < 0 ? "no schema" : `version ${applied}`;
  return { ok: false, detail: `${found}, this program needs version ${expected}; run: redrive migrate` };
}
