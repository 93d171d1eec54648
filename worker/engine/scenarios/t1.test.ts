import mysql, { type Connection } from "mysql2/promise";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mysql2Seam } from "../../../db/client.ts";
import { claimDueTasks } from "../../../db/queries/claim-tasks.ts";
import { nextDue } from "../../../db/queries/due-times.ts";
import { rescheduleTask } from "../../../db/queries/end-attempt.ts";
import { listAbandonedTasks } from "../../../db/queries/recycle-tasks.ts";
import { beatStatement, listDeadOwners, registerWorker } from "../../../db/queries/workers.ts";
import { Session } from "../../../db/session.ts";
import { CallLog, Scenario } from "../../testing/scenario.ts";
import { createEngine, type Engine } from "../index.ts";

const scenario = new Scenario();

/** A minute before each switch; the session zone is a whole hour off on its two sides. */
const NIGHTS = [
  { name: "Europe/Copenhagen, spring", at: "2026-03-29T00:59:00.000Z", before: "+01:00", after: "+02:00" },
  { name: "Europe/Copenhagen, autumn", at: "2026-10-25T00:59:00.000Z", before: "+02:00", after: "+01:00" },
  { name: "America/New_York, spring", at: "2026-03-08T06:59:00.000Z", before: "-05:00", after: "-04:00" },
  { name: "America/New_York, autumn", at: "2026-11-01T05:59:00.000Z", before: "-04:00", after: "-05:00" },
] as const;
const INTERVALS_SECONDS = [60, 1_800, 7_200];
const ERROR = { text: "no", fingerprint: "0123456789abcdef" };

let zoneBefore: string | undefined;
beforeAll(() => {
  zoneBefore = process.env["TZ"];
});
afterAll(() => {
  if (zoneBefore === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zoneBefore;
});

describe.each(NIGHTS)("T1: the night the clocks change ($name)", ({ name, at, before, after }) => {
  const start = new Date(at);
  let connection: Connection;
  let engine: Engine<never>;

  /** The server's clock, and the caller's zone, which moves with the switch, stand at an instant for this connection. */
  async function moveTo(instant: Date): Promise<void> {
    const isAfter = instant.getTime() >= start.getTime() + 60_000;
    await connection.query(`SET time_zone = '${isAfter ? after : before}'`);
    await connection.query(`SET TIMESTAMP = ${(instant.getTime() / 1_000).toFixed(3)}`);
  }
  const session = () => new Session(mysql2Seam(connection), scenario.database.zone);
  const later = (ms: number) => new Date(start.getTime() + ms);

  beforeEach(async () => {
    process.env["TZ"] = name.split(",")[0];
    const { connection: settings, pool, zone } = scenario.database;
    connection = await mysql.createConnection({ ...settings });
    engine = createEngine({
      database: pool,
      zone: zone.name,
      handlers: INTERVALS_SECONDS.map((seconds) => new CallLog().handler({ eventType: `EVERY ${seconds} ${at}` })),
    }) as Engine<never>;
    await moveTo(start);
  });
  afterEach(async () => {
    await connection.end();
    await engine.stop();
  });

  it("the process really lives in that zone, and the database session a minute before its switch", async () => {
    const offset = (instant: Date) => -instant.getTimezoneOffset();
    expect(offset(later(60_000)) - offset(start)).toBe(name.endsWith("spring") ? 60 : -60);
    const [rows] = await connection.query(
      "SELECT CAST(UTC_TIMESTAMP(3) AS CHAR) AS utc, CAST(NOW(3) AS CHAR) AS local",
    );
    const [row] = rows as { utc: string; local: string }[];
    expect(row?.utc).toBe(start.toISOString().slice(0, 23).replace("T", " "));
    expect(row?.local).not.toBe(row?.utc);
  });

  it.each(INTERVALS_SECONDS)(
    "FIXED %i s: due exactly so much later in real time, not an hour early or late",
    async (seconds) => {
      const eventType = `EVERY ${seconds} ${at}`;
      await connection.beginTransaction();
      const { id } = await engine.enqueue(connection, {
        eventType,
        bizKey: "k",
        retryStrategy: "FIXED",
        firstIntervalSeconds: seconds,
      });
      const delayed = await engine.enqueue(connection, { eventType, bizKey: "delayed", delayMs: seconds * 1_000 });
      const dated = await engine.enqueue(connection, { eventType, bizKey: "dated", runAt: later(seconds * 1_000) });
      await connection.commit();
      expect(await scenario.row(id)).toMatchObject({ nextRetryTime: start, createTime: start, updateTime: start });
      for (const other of [delayed, dated]) {
        expect((await scenario.row(other.id))?.nextRetryTime).toEqual(later(seconds * 1_000));
      }
      const claimer = { owner: "w", ip: "127.0.0.1" };
      let dueAt = start;
      for (let failures = 1; failures <= 3; failures++) {
        const [claimed] = await claimDueTasks(session(), claimer, { eventType, limit: 1 });
        expect(claimed).toMatchObject({ id, retryCount: failures - 1 });
        await rescheduleTask(session(), "w", { id, claimNo: failures, delayMs: seconds * 1_000, error: ERROR });
        dueAt = new Date(dueAt.getTime() + seconds * 1_000);
        expect((await scenario.row(id))?.nextRetryTime).toEqual(dueAt);
        if (failures === 1)
          await connection.query("DELETE FROM t_retry_task WHERE event_type = ? AND id <> ?", [eventType, BigInt(id)]);
        await moveTo(new Date(dueAt.getTime() - 1));
        expect(await claimDueTasks(session(), claimer, { eventType, limit: 1 })).toEqual([]);
        expect(await nextDue(session(), eventType)).toMatchObject({ next: { inMs: 1 } });
        await moveTo(dueAt);
        expect(await nextDue(session(), eventType)).toMatchObject({ next: { inMs: 0 } });
      }
    },
  );

  it("a running task of a living owner is not recycled because an hour passed, and a dead owner's is in time", async () => {
    const eventType = `RECYCLE ${at}`;
    const owner = `owner ${at}`;
    await registerWorker(session(), {
      owner,
      host: "h",
      ip: "127.0.0.1",
      pid: 1,
      version: "1",
      deadAfterMs: 10_000,
      eventTypes: [eventType],
    });
    const [owned = "", foreign = ""] = await scenario.insert(
      { eventType, bizKey: "owned", status: "running", owner, updateTime: start },
      { eventType, bizKey: "foreign", status: "running", updateTime: start },
    );
    const abandoned = async () =>
      (await listAbandonedTasks(session(), { eventType, self: "me", foreignAfterMs: 180_000 })).map(({ id }) => id);
    const isDead = async () => (await listDeadOwners(session())).includes(owner);
    for (const ms of [10_000, 59_999, 60_000, 65_000]) {
      await moveTo(later(ms));
      if (ms !== 65_000) await session().change(beatStatement(scenario.database.zone, owner));
      expect([ms, await abandoned(), await isDead()]).toEqual([ms, [], false]);
    }
    await moveTo(later(70_000));
    expect([await abandoned(), await isDead()]).toEqual([[], false]);
    await moveTo(later(70_001));
    expect([await abandoned(), await isDead()]).toEqual([[owned], true]);
    await moveTo(later(180_000));
    expect(await abandoned()).toEqual([owned]);
    await moveTo(later(180_001));
    expect((await abandoned()).sort()).toEqual([owned, foreign].sort());
  });
});

describe("T1: a whole engine with a process zone and caller sessions that have summer time", () => {
  it("retries come exactly their interval later, in every zone the caller's session may stand in", async () => {
    process.env["TZ"] = "Europe/Copenhagen";
    // What the nights above left running months ago would be taken back.
    await scenario.rows("DELETE FROM t_retry_task");
    const log = new CallLog();
    const started = await scenario.start([
      log.handler(
        {
          eventType: "LIVE",
          pollIntervalMs: 100,
          retry: { strategy: "FIXED", firstIntervalSeconds: 1, maxRetryCount: 2 },
        },
        () => false,
      ),
    ]);
    for (const zone of ["+09:00", "-11:00", "SYSTEM", "+02:00"]) {
      const before = await scenario.now();
      const { id } = await started.engine.transaction(async (tx) => {
        await tx.query(`SET time_zone = '${zone}'`);
        const verdict = await started.engine.enqueue(tx, { eventType: "LIVE", bizKey: zone });
        await tx.query("SET time_zone = 'SYSTEM'");
        return verdict;
      });
      const after = await scenario.now();
      const first = await scenario.row(id);
      expect(first?.createTime.getTime()).toBeGreaterThanOrEqual(before.getTime());
      expect(first?.createTime.getTime()).toBeLessThanOrEqual(after.getTime());
      const failed = await started.rowWhere(id, "has failed", ({ retryCount }) => retryCount === 1);
      expect(failed.nextRetryTime.getTime() - failed.updateTime.getTime()).toBe(1_000);
      const last = await started.rowWhere(id, "fails for good", ({ status }) => status === "failed");
      expect(last.startedTime?.getTime()).toBeGreaterThanOrEqual(failed.nextRetryTime.getTime());
    }
    expect(started.of("recycled")).toEqual([]);
  });

  it.each([
    ["2026-03-29T00:30:00.123Z", "2026-03-29T01:30:00.456Z"],
    ["2026-10-25T00:30:00.123Z", "2026-10-25T01:30:00.456Z"],
  ])("instants on both sides of a switch keep their order and their milliseconds: %s, %s", async (...instants) => {
    process.env["TZ"] = "Europe/Copenhagen";
    const ids = await scenario.insert(
      ...instants.map((instant) => ({
        eventType: "ORDER",
        nextRetryTime: new Date(instant),
        status: "cancelled" as const,
      })),
    );
    const stored = await Promise.all(ids.map(async (id) => (await scenario.row(id))?.nextRetryTime.toISOString()));
    expect(stored).toEqual(instants);
    const sorted = await scenario.rows<{ id: string }>(
      `SELECT CAST(id AS CHAR) AS id FROM t_retry_task WHERE id IN (${ids.join(",")}) ORDER BY next_retry_time`,
    );
    expect(sorted.map(({ id }) => id)).toEqual(ids);
  });
});
