import { countTasksByType, PAGE_COUNT_MAX, type TypeCounts } from "../../db/queries/count-tasks.ts";
import { listWorkers } from "../../db/queries/workers.ts";
import { durationText } from "./duration-text.ts";
import { textTable } from "./text-table.ts";
import { printable } from "./text-values.ts";
import type { Verb } from "./verb.ts";

/** Rows of the registry that are counted. */
const WORKERS_MAX = 5_000;

/** `redrive status`: how every type stands, and how many workers live. */
export const statusVerb: Verb = {
  name: "status",
  summary: "show per event type what waits, runs and failed, and how many workers live",
  operands: "",
  operandsMin: 0,
  operandsMax: 0,
  options: {},
  notes: `Counts stop at ${PAGE_COUNT_MAX} per type and status, shown as ${PAGE_COUNT_MAX}+.`,
  async run(_, { database }) {
    const { types, workers } = await database.use(async (session) => ({
      types: await countTasksByType(session),
      workers: await listWorkers(session, WORKERS_MAX),
    }));
    const alive = workers.filter((worker) => worker.isAlive);
    const draining = alive.filter((worker) => worker.state === "draining").length;
    const columns = [
      { title: "TYPE" },
      { title: "PENDING", isNumber: true },
      { title: "RUNNING", isNumber: true },
      { title: "FAILED", isNumber: true },
      { title: "RECYCLED 24 H", isNumber: true },
      { title: "OLDEST DUE", isNumber: true },
      { title: "PAUSED" },
    ];
    const table = types.length > 0 ? textTable(columns, types.map(rowOf)) : "no event types yet";
    const shutting = draining > 0 ? `, ${draining} shutting down` : "";
    return {
      json: { types, workers: { alive: alive.length, draining, total: workers.length } },
      text: `${table}\nworkers: ${alive.length} alive of ${workers.length}${shutting}`,
    };
  },
};

function rowOf(type: TypeCounts): string[] {
  const count = (value: number) => (value >= PAGE_COUNT_MAX ? `${PAGE_COUNT_MAX}+` : String(value));
  return [
    printable(type.eventType),
    count(type.pending),
    count(type.running),
    count(type.failed),
    String(type.recycled24h),
    type.oldestDueAgeMs > 0 ? durationText(type.oldestDueAgeMs) : "-",
    type.paused ? "yes" : "no",
  ];
}
