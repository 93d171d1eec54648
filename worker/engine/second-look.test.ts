import type { RowDataPacket } from "mysql2/promise";
import { describe, expect, it } from "vitest";
import { CallLog, Scenario } from "../testing/scenario.ts";
import { waitFor } from "../testing/wait-for.ts";
import { type Clock, systemClock } from "./clock.ts";

const scenario = new Scenario();
/** The wait between the first and the second look of attempt.ts. */
const SECOND_LOOK_MS = 500;

async function sessions(): Promise<number[]> {
  const rows = await scenario.rows<RowDataPacket>(
    "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()",
  );
  return rows.map((row) => Number(row["id"]));
}

/** A session that has ended by itself meanwhile cannot be killed. */
async function kill(ids: readonly number[]): Promise<void> {
  for (const id of ids) await scenario.rows(`KILL ${id}`).catch(() => undefined);
}

/** An engine whose handler, at its first call, has its own session killed, and that is told when it looks a second time. */
async function startWithDoomedHandler(eventType: string, atSecondLook: () => Promise<void>) {
  const log = new CallLog();
  let hasLooked = false;
  const clock: Clock = {
    ...systemClock,
    sleep: async (ms, signal) => {
      if (ms === SECOND_LOOK_MS && !hasLooked && log.calls.length > 0) {
        hasLooked = true;
        await atSecondLook();
        return;
      }
      await systemClock.sleep(ms, signal);
    },
  };
  const handler = log.handler({ eventType, pollIntervalMs: 100, retry: { maxRetryCount: 1 } }, async () => {
    if (log.calls.length > 1) return;
    const connection = await scenario.database.pool.getConnection();
    connection.on("error", () => undefined);
    try {
      const running = connection.query("DO SLEEP(60)");
      await Promise.all([running, kill([connection.threadId])]);
    } finally {
      connection.destroy();
    }
    throw new Error("the session outlived its end");
  });
  const started = await scenario.start([handler], { clock });
  return { log, started, hasLookedTwice: () => hasLooked };
}

describe("D3: sessions that are killed one after another", () => {
  it("D3: the handler's first and the engine's while it waits for its second look: nothing is counted", async () => {
    const { started, hasLookedTwice } = await startWithDoomedHandler("FIRST", async () => {
      const before = await sessions();
      await kill(before);
      await waitFor("the server to have ended them", async () => {
        const after = new Set(await sessions());
        return before.every((id) => !after.has(id));
      });
    });
    const [id = ""] = await scenario.insert({ eventType: "FIRST", maxRetryCount: 1 });
    const row = await waitFor("it ends", async () => {
      // The look may meet a session of the test's own that was killed with the others.
      const found = await started.row(id).catch(() => undefined);
      return found?.status === "succeeded" || found?.status === "failed" ? found : undefined;
    });
    expect(hasLookedTwice()).toBe(true);
    expect(row).toMatchObject({ status: "succeeded", retryCount: 0, claimNo: 2, recycleCount: 0 });
    expect(started.of("released")).toMatchObject([{ reason: "database outage" }]);
  });

  it("D3: the handler's alone: its own failure, counted", async () => {
    const { started, hasLookedTwice } = await startWithDoomedHandler("ALONE", () => Promise.resolve());
    const [id = ""] = await scenario.insert({ eventType: "ALONE", maxRetryCount: 1 });
    const row = await started.rowWhere(id, "ends", ({ status }) => status === "succeeded" || status === "failed");
    expect(hasLookedTwice()).toBe(true);
    expect(row).toMatchObject({ status: "failed", retryCount: 1, claimNo: 1 });
  });
});
