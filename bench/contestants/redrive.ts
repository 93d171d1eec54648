import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import mysql from "mysql2/promise";
import * as present from "../../worker/engine/index.ts";
import type { Contestant } from "../contestant.ts";
import { EVENT_TYPE, keyOf, payloadOf } from "../payload.ts";
import { analyze, countRows, fillFinishedRows, insertPendingRows } from "./task-table.ts";

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
    modes: ["enqueue", "eager", "drain"],
    migrated: true,
    setUp: async () => undefined,
    preload: async (test, from, count) => {
      await insertPendingRows(test, from, count);
      await analyze(test);
    },
    fillFinished: async (test, count) => {
      await fillFinishedRows(test, count, {
        finish_reason: "'success'",
        finished_time: "UTC_TIMESTAMP(3)",
        claim_no: "1",
      });
      await analyze(test);
    },
    remaining: (test) => countRows(test, "event_type = ? AND status IN (0, 3)", [EVENT_TYPE]),
    // The success of a batch is one statement; a claim and what a service enqueues are transactions.
    commitsItself: (text) => text.startsWith("UPDATE") && text.includes("finish_reason"),
    async open(test, { mode, concurrency, connections, onTask }) {
      const pool = mysql.createPool({ ...test.connection, connectionLimit: connections });
      const handler = defineHandler({
        eventType: EVENT_TYPE,
        concurrency,
        handle: (task) => onTask((task.bizContext as { seq: number }).seq) as Promise<void>,
      });
      const engine = createEngine({
        database: pool,
        handlers: [handler],
        eager: mode === "eager",
        poll: mode !== "enqueue",
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
