import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { nodeScript } from "../../../db/testing/node-script.ts";
import { claimDueTasks } from "../../../db/queries/claim-tasks.ts";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { systemClock } from "../../engine/clock.ts";
import { insertEnded } from "../../testing/archive-scene.ts";
import { waitFor } from "../../testing/wait-for.ts";

/** The field's two million take minutes: REDRIVE_A3_TASKS sets the size of the first clean-up. */
const TASKS = Number(process.env["REDRIVE_A3_TASKS"] ?? 30_000);
const CREATED_PER_SECOND = 50;
const CHILD = nodeScript(new URL("../../testing/archive-child.ts", import.meta.url));
const never = new AbortController().signal;

let test: TestDatabase;
let child: ChildProcess | undefined;
beforeAll(async () => {
  test = await createTestDatabase();
  await insertEnded(test, { eventType: "PAY", count: TASKS, attempts: 1 });
}, 600_000);
afterEach(() => void child?.kill("SIGKILL"));
afterAll(() => test.drop());

const count = async (table: string, where = "1 = 1"): Promise<number> => {
  const [rows] = await test.pool.query(`SELECT COUNT(*) AS n FROM ${table} WHERE ${where}`);
  return Number((rows as { n: number }[])[0]?.n);
};

function startArchiver(): Promise<unknown> {
  const started = spawn(process.execPath, [...CHILD, test.url, test.zone.name], { stdio: "ignore" });
  child = started;
  return new Promise((resolve) => started.once("close", resolve));
}

/** Creates and claims at a steady pace until told to stop; keeps how long each took and every error. */
async function business(signal: AbortSignal) {
  const ms: { insert: number[]; claim: number[] } = { insert: [], claim: [] };
  const errors: unknown[] = [];
  const timed = async (into: number[], work: () => Promise<unknown>) => {
    const startedMs = performance.now();
    await work().catch((error: unknown) => errors.push(error));
    into.push(performance.now() - startedMs);
  };
  for (let n = 0; !signal.aborted; n++) {
    const dueMs = performance.now() + 1_000 / CREATED_PER_SECOND;
    await timed(ms.insert, () =>
      test.pool.query(
        `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval, next_retry_time)
          VALUES ('PAY', ?, '{}', 0, 5, 'FIXED', 10, '2020-01-01')`,
        [`new-${n}`],
      ),
    );
    await timed(ms.claim, () =>
      test.database.transaction((session) =>
        claimDueTasks(session, { owner: "claimer", ip: "10.0.0.1" }, { eventType: "PAY", limit: 50 }),
      ),
    );
    await systemClock.sleep(Math.max(0, dueMs - performance.now()), signal);
  }
  return { ms, errors };
}

it(
  "A3: the first clean-up after months ends with nothing left, killed half-way, and nobody meets a lock timeout",
  { timeout: 900_000 },
  async () => {
    const stop = new AbortController();
    const working = business(stop.signal);
    const killed = startArchiver();
    const half = await waitFor(
      "half of the tasks to be moved",
      async () => {
        const moved = await count("t_retry_task_archive");
        return moved >= TASKS / 2 && moved;
      },
      600_000,
    );
    child?.kill("SIGKILL");
    await killed;
    expect(await count("t_retry_task_archive")).toBeGreaterThanOrEqual(half);
    const startedMs = performance.now();
    await startArchiver();
    // What the killed one had open was skipped if the server had not noticed yet.
    await waitFor("the rest to be moved", async () => {
      if ((await count("t_retry_task", "status = 1")) === 0) return true;
      await startArchiver();
      return false;
    });
    const restMs = performance.now() - startedMs;
    await systemClock.sleep(0, never);
    stop.abort();
    const { ms, errors } = await working;
    const at = (all: readonly number[], share: number) =>
      [...all].sort((one, other) => one - other)[Math.floor(all.length * share)]?.toFixed(1);
    process.stdout.write(
      `A3 ${test.kind}: ${TASKS} tasks, second half in ${(restMs / 1_000).toFixed(1)} s; beside it ${ms.insert.length} inserts p50 ${at(ms.insert, 0.5)} p99 ${at(ms.insert, 0.99)} ms, claims p50 ${at(ms.claim, 0.5)} p99 ${at(ms.claim, 0.99)} ms\n`,
    );
    expect(errors).toEqual([]);
    expect(await count("t_retry_task_archive")).toBe(TASKS);
    expect(await count("t_retry_task", "status = 1")).toBe(0);
    expect(await count("t_retry_task")).toBe(ms.insert.length);
    expect(await count("t_retry_attempt")).toBe(0);
  },
);
