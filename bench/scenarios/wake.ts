import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import mysql, { type ResultSetHeader } from "mysql2/promise";
import { waitFor } from "../../worker/testing/wait-for.ts";
import { WorkerProcess } from "../../worker/testing/worker-process.ts";
import { insertText, insertValues } from "../contestants/task-table.ts";
import { quantile, rounded } from "../figures.ts";
import { inTransaction } from "../in-transaction.ts";
import { atRate } from "../load.ts";
import { keyOf } from "../payload.ts";
import type { Solo } from "../scenario.ts";

const HANDLERS = fileURLToPath(new URL("./wake-handlers.mjs", import.meta.url));
const WARM_UP = 100;

export const wake: Solo = {
  name: "wake",
  about:
    "a row inserted with plain SQL and POST /v1/wake: from the answer to COMMIT to the start of the handler in a worker process",
  defaults: { seconds: 10, rate: 50 },
  compared: "p50Ms",
  async solo(test, { rate, seconds, producers }) {
    const token = randomBytes(16).toString("hex");
    const worker = new WorkerProcess({
      DATABASE_URL: test.url,
      REDRIVE_HANDLERS: HANDLERS,
      REDRIVE_ZONE: test.zone.name,
      REDRIVE_WAKE_TOKEN: token,
      LOG_LEVEL: "info",
    });
    const pool = mysql.createPool({ ...test.connection, connectionLimit: producers });
    const now = (): number => performance.timeOrigin + performance.now();
    const committedMs = new Map<string, number>();
    let claimed = 0;
    try {
      await worker.answers("/readyz", 200);
      const url = await worker.url("/v1/wake");
      const call = async (seq: number): Promise<void> => {
        const id = await insertCommitted(pool, seq);
        committedMs.set(keyOf(seq), now());
        const answer = await fetch(url, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify({ ids: [String(id)] }),
        });
        if (!answer.ok) throw new Error(`the wake was answered ${answer.status}: ${await answer.text()}`);
        claimed += ((await answer.json()) as { claimed: number }).claimed;
      };
      const startsOf = () => worker.lines.filter((line) => line.msg === "started");
      await atRate(rate, WARM_UP, (index) => call(1 + index));
      await waitFor("the warm-up's last start", () => startsOf().length >= WARM_UP);
      committedMs.clear();
      claimed = 0;
      const tasks = Math.round(rate * seconds);
      await atRate(rate, tasks, (index) => call(1 + WARM_UP + index));
      await waitFor("the last start", () => startsOf().length >= WARM_UP + tasks);
      const waits = startsOf()
        .filter((line) => committedMs.has(String(line["bizKey"])))
        .map((line) => Number(line["atMs"]) - (committedMs.get(String(line["bizKey"])) ?? Number.NaN));
      return {
        p50Ms: rounded(quantile(waits, 0.5)),
        p95Ms: rounded(quantile(waits, 0.95)),
        p99Ms: rounded(quantile(waits, 0.99)),
        // The rest was found by the poller before the wake came.
        claimedByWake: rounded(claimed / tasks),
        perSecond: null,
      };
    } finally {
      worker.signal("SIGKILL");
      await worker.exited();
      await pool.end();
    }
  },
};

/** As a service in any language does it; answers the id once the commit is known. */
function insertCommitted(pool: mysql.Pool, seq: number): Promise<number> {
  return inTransaction(pool, async (connection) => {
    const [{ insertId }] = await connection.query<ResultSetHeader>(insertText(1), insertValues([seq]));
    return insertId;
  });
}
