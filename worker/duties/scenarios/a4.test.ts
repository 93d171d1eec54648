import { describe, expect, it } from "vitest";
import { resetTask } from "../../../db/queries/reset-task.ts";
import { showArchivedTask } from "../../../db/queries/show-archived-task.ts";
import type { TaskRowValues } from "../../../db/testing/task-rows.ts";
import { runCli } from "../../cli/run-cli.ts";
import { archiveAll, insertEnded } from "../../testing/archive-scene.ts";
import { CallLog, Scenario } from "../../testing/scenario.ts";

const scenario = new Scenario();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** As if this much more time had passed since everything that happened to these tasks. */
async function ageBy(ids: readonly string[], ms: number): Promise<void> {
  const columns = ["create_time", "update_time", "next_retry_time", "started_time", "finished_time"];
  await scenario.rows(
    `UPDATE t_retry_task SET ${columns.map((column) => `${column} = TIMESTAMPADD(MICROSECOND, ?, ${column})`).join(", ")} WHERE id IN (?)`,
    [...columns.map(() => -ms * 1_000), ids.map(BigInt)],
  );
}

const reset = (id: string) =>
  scenario.database.database.transaction((session) => resetTask(session, { id, actor: "ada" }));
const isArchived = async (id: string) =>
  (await scenario.database.database.use((session) => showArchivedTask(session, id))) !== undefined;
const statusOf = async (id: string) => (await scenario.row(id))?.status;

describe("A4: when the seven days begin", () => {
  it("at the end of a task: neither its creation, nor a reset, nor waiting, nor running moves it", async () => {
    const now = await scenario.now();
    const ago = (ms: number) => new Date(now.getTime() - ms);
    const failed = (endedMs: number): TaskRowValues => ({
      status: "failed",
      createTime: ago(30 * DAY_MS),
      nextRetryTime: ago(endedMs + MINUTE_MS),
      finishedTime: ago(endedMs),
      updateTime: ago(endedMs),
      retryCount: 3,
    });
    const old = { createTime: ago(30 * DAY_MS), updateTime: ago(30 * DAY_MS) };
    const sixDays23 = WEEK_MS - HOUR_MS;
    const [a = "", b = "", c = "", d = "", e = "", f = ""] = await scenario.insert(
      {
        ...old,
        eventType: "A4",
        status: "succeeded",
        nextRetryTime: ago(HOUR_MS),
        finishedTime: ago(HOUR_MS),
        updateTime: ago(HOUR_MS),
      },
      { ...failed(sixDays23), eventType: "A4" },
      { ...old, eventType: "A4-waits", status: "pending", nextRetryTime: ago(30 * DAY_MS) },
      { ...old, eventType: "A4-waits", status: "running", owner: "somebody", nextRetryTime: ago(30 * DAY_MS) },
      { ...failed(WEEK_MS + MINUTE_MS), eventType: "A4" },
      { ...failed(sixDays23), eventType: "A4", bizKey: "fails-again", maxRetryCount: 1 },
    );
    expect(await reset(b)).toMatchObject({ outcome: "done" });
    expect(await reset(f)).toMatchObject({ outcome: "done" });

    await archiveAll(scenario.database);
    expect(await isArchived(e)).toBe(true);
    expect([await statusOf(a), await statusOf(b), await statusOf(c), await statusOf(d), await statusOf(f)]).toEqual([
      "succeeded",
      "pending",
      "pending",
      "running",
      "pending",
    ]);

    // The seven days since the first failure are over; b and f have not run yet.
    await ageBy([a, b, c, d, f], 2 * HOUR_MS);
    await archiveAll(scenario.database);
    expect([await statusOf(b), await statusOf(f)]).toEqual(["pending", "pending"]);

    const calls = new CallLog();
    const handler = calls.handler({ eventType: "A4", pollIntervalMs: 100 }, ({ bizKey }) => {
      if (bizKey === "fails-again") throw new Error("again");
    });
    const started = await scenario.start([handler]);
    await started.rowWhere(b, "to have run", ({ status }) => status === "succeeded");
    await started.rowWhere(f, "to have failed again", ({ status }) => status === "failed");
    await scenario.stopEngines();

    // a and b end their week after a; f begins anew.
    await ageBy([a, b, c, d, f], WEEK_MS - 4 * HOUR_MS);
    await archiveAll(scenario.database);
    expect([await isArchived(a), await isArchived(b), await isArchived(f)]).toEqual([false, false, false]);
    await ageBy([a], HOUR_MS);
    await archiveAll(scenario.database);
    expect([await isArchived(a), await isArchived(b), await isArchived(f)]).toEqual([true, false, false]);
    await ageBy([b, f], 4 * HOUR_MS);
    await archiveAll(scenario.database);
    expect([await isArchived(b), await isArchived(f)]).toEqual([true, true]);
    expect([await statusOf(c), await statusOf(d)]).toEqual(["pending", "running"]);
  });

  it("lets either the reset or the archiver win the same second, never both, never neither, and says which", async () => {
    const { database } = scenario;
    let resets = 0;
    for (let round = 0; round < 10; round++) {
      const eventType = `RACE-${round}`;
      await insertEnded(database, { eventType, count: 40, status: 2, attempts: 0 });
      const rows = await scenario.rows<{ id: number | string }>(
        "SELECT id FROM t_retry_task WHERE event_type = ? ORDER BY id DESC",
        [eventType],
      );
      const ids = rows.map(({ id }) => String(id));
      const [verdicts] = await Promise.all([
        Promise.all(ids.slice(0, 20).map((id) => reset(id))),
        archiveAll(database, { eventType }),
      ]);
      for (const [index, verdict] of verdicts.entries()) {
        const id = ids[index] ?? "";
        const place = [await statusOf(id), await isArchived(id)];
        expect([verdict.outcome, ...place]).toEqual(
          verdict.outcome === "done" ? ["done", "pending", false] : ["not_found", undefined, true],
        );
        if (verdict.outcome === "done") resets++;
      }
      const last = ids.at(-1) ?? "";
      let out = "";
      const code = await runCli(["reset", last], {
        env: { DATABASE_URL: database.url, REDRIVE_ZONE: database.zone.name },
        stdout: (text) => void (out += text),
        stderr: (text) => void (out += text),
      });
      expect([code, out]).toEqual([
        1,
        expect.stringMatching(new RegExp(`task ${last}: not reset, it is failed and was moved to the archive at 20`)),
      ]);
    }
    expect(resets).toBeLessThanOrEqual(200);
  });
});
