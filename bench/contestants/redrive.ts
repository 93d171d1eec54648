import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { sql } from "drizzle-orm";
import mysql from "mysql2/promise";
import { parseDatabaseUrl } from "../../db/connection-options.ts";
import { claimDueTasks } from "../../db/queries/claim-tasks.ts";
import { completeTasks } from "../../db/queries/complete-tasks.ts";
import type { Session } from "../../db/session.ts";
import * as present from "../../worker/engine/index.ts";
import type { Contestant } from "../contestant.ts";
import { EVENT_TYPE, keyOf, payloadOf } from "../payload.ts";
import { ROWS_READ, type StatusRow, sumOf } from "./rows-read.ts";
import { enterTaskTable, type TaskTable } from "./task-table.ts";

const CLAIMER = { owner: "bench-claimer", ip: "127.0.0.1" };

/** Our table, and a claim as the engine makes it. */
export const OUR_TABLE: TaskTable = {
  migrated: true,
  finished: { finish_reason: "'success'", finished_time: "UTC_TIMESTAMP(3)", claim_no: "1" },
  claim: async ({ database }, limit, from) => {
    let before = 0;
    let after = 0;
    let statusMs = 0;
    const readStatus = async (session: Session): Promise<number> => {
      const fromMs = performance.now();
      const rows = await session.rows<StatusRow>(sql.raw(ROWS_READ));
      statusMs += performance.now() - fromMs;
      return sumOf(rows);
    };
    const startedMs = performance.now();
    const tasks = await database.transaction(async (session) => {
      before = await readStatus(session);
      const claimed = await claimDueTasks(session, CLAIMER, { eventType: EVENT_TYPE, limit, dueFrom: from });
      after = await readStatus(session);
      return claimed;
    });
    const ms = performance.now() - startedMs - statusMs;
    if (tasks.length > 0) await database.use((session) => completeTasks(session, CLAIMER.owner, tasks));
    return { ms, rowsRead: after - before, until: tasks.at(-1)?.nextRetryTime };
  },
};

type EngineModule = Pick<typeof present, "createEngine" | "defineHandler">;

/** The engine of another checkout, so that a change is measured beside what was there before it. */
export async function redriveOf(name: string, folder: string): Promise<Contestant> {
  const url = pathToFileURL(resolve(folder, "worker/engine/index.ts")).href;
  return redriveWith(name, (await import(url)) as EngineModule);
}

/** The engine as a service embeds it, with default settings but for the concurrency. */
export const redrive: Contestant = redriveWith("redrive", present);

function redriveWith(name: string, { createEngine, defineHandler }: EngineModule): Contestant {
  return {
    name,
    modes: ["enqueue", "enqueue-many", "eager", "drain"],
    server: "mysql",
    enter: (server) => enterTaskTable(server, OUR_TABLE),
    // The success of a batch is one statement; a claim and what a service enqueues are transactions.
    commitsItself: (text) => text.startsWith("UPDATE") && text.includes("finish_reason"),
    async open(store, { mode, concurrency, connections, onTask }) {
      const pool = mysql.createPool({ ...parseDatabaseUrl(store), connectionLimit: connections });
      const handler = defineHandler({
        eventType: EVENT_TYPE,
        concurrency,
        handle: (task) => onTask((task.bizContext as { seq: number }).seq) as Promise<void>,
      });
      const engine = createEngine({
        database: pool,
        handlers: [handler],
        eager: mode === "eager",
        poll: mode === "eager" || mode === "drain",
      });
      const taskOf = (seq: number) => ({ eventType: EVENT_TYPE, bizKey: keyOf(seq), bizContext: payloadOf(seq) });
      if (mode !== "drain") await engine.start();
      return {
        enqueue: (seq) => engine.transaction(async (tx) => void (await engine.enqueue(tx, taskOf(seq)))),
        enqueueMany: (seqs) => engine.transaction(async (tx) => void (await engine.enqueueMany(tx, seqs.map(taskOf)))),
        work: () => engine.start(),
        close: async () => {
          await engine.stop({ graceMs: 2_000 });
          await pool.end();
        },
      };
    },
  };
}
