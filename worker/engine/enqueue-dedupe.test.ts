import { describe, expect, it } from "vitest";
import { archiveAll } from "../testing/archive-scene.ts";
import { CallLog, Scenario } from "../testing/scenario.ts";
import { DuplicateTaskError } from "./index.ts";

const scenario = new Scenario();
const DAY_SECONDS = 86_400;

/** Runs a task to its end, archives it at once, and puts its archiving so many seconds back. */
async function archived(eventType: string, bizKey: string, secondsAgo: number, dedupeSeconds: number) {
  const calls = new CallLog();
  const started = await scenario.start([
    calls.handler({ eventType, retention: { dedupeSeconds, liveKeptSeconds: 0 } }),
  ]);
  const { id } = await started.enqueue({ eventType, bizKey });
  await started.rowWhere(id, "to have succeeded", ({ status }) => status === "succeeded");
  expect((await archiveAll(scenario.database, { eventType })).tasks).toBe(1);
  await scenario.rows(
    "UPDATE t_retry_task_archive SET archived_time = TIMESTAMPADD(SECOND, ?, archived_time) WHERE id = ?",
    [-secondsAgo, BigInt(id)],
  );
  return { id, started };
}

describe("the dedupe window of a type", () => {
  it("is off by default: a key is free again as soon as its task is archived", async () => {
    const { id, started } = await archived("OFF", "k", 0, 0);
    const again = await started.enqueue({ eventType: "OFF", bizKey: "k" });
    expect(again.inserted).toBe(true);
    expect(again.id).not.toBe(id);
  });

  it("answers with the archived task within the window, and creates a new one past it", async () => {
    const within = await archived("IN", "k", DAY_SECONDS - 60, DAY_SECONDS);
    expect(await within.started.enqueue({ eventType: "IN", bizKey: "k" })).toEqual({
      id: within.id,
      inserted: false,
      status: "succeeded",
    });
    const past = await archived("OUT", "k", DAY_SECONDS + 60, DAY_SECONDS);
    expect(await past.started.enqueue({ eventType: "OUT", bizKey: "k" })).toMatchObject({ inserted: true });
  });

  it("throws instead, if asked to", async () => {
    const { id, started } = await archived("THROW", "k", 0, DAY_SECONDS);
    const duplicate = started.enqueue({ eventType: "THROW", bizKey: "k", onDuplicate: "throw" });
    await expect(duplicate).rejects.toBeInstanceOf(DuplicateTaskError);
    await expect(duplicate).rejects.toMatchObject({ existingId: id });
  });

  it("holds for each row of many, also for a key that comes twice in one call", async () => {
    const { id, started } = await archived("MANY", "old", 0, DAY_SECONDS);
    const verdicts = await started.engine.transaction((tx) =>
      started.engine.enqueueMany(
        tx,
        ["new", "old", "old", "new"].map((bizKey) => ({ eventType: "MANY", bizKey })),
      ),
    );
    expect(verdicts.map(({ inserted }) => inserted)).toEqual([true, false, false, false]);
    expect(verdicts.map((verdict) => verdict.id === id)).toEqual([false, true, true, false]);
    expect(verdicts[3]?.id).toBe(verdicts[0]?.id);
  });

  it("takes no lock in the archive: another transaction archives and changes what it found", async () => {
    const { started, id } = await archived("LOCK", "k", 0, DAY_SECONDS);
    await started.engine.transaction(async (tx) => {
      await started.engine.enqueue(tx, { eventType: "LOCK", bizKey: "k" });
      await started.engine.enqueue(tx, { eventType: "LOCK", bizKey: "other", delayMs: 60_000 });
      const connection = await scenario.database.pool.getConnection();
      await connection.query("SET SESSION innodb_lock_wait_timeout = 1");
      const [changed] = await connection.query("UPDATE t_retry_task_archive SET origin = 'x' WHERE id = ?", [
        BigInt(id),
      ]);
      await connection.query("SET SESSION innodb_lock_wait_timeout = DEFAULT");
      connection.release();
      expect(changed).toMatchObject({ affectedRows: 1 });
    });
  });
});
